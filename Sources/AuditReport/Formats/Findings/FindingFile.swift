/// A file of findings in one format while it is written. It is used by one thread.
final class FindingFile {
  private let writer: FindingWriter
  private var file: OutputFile

  /// Takes over `file`.
  init(_ writer: FindingWriter, _ file: consuming OutputFile) {
    self.writer = writer
    self.file = file
    writer.begin(&self.file.rows)
  }

  /// Writes a finding.
  func write(_ finding: ReportedFinding) throws(ReportError) {
    writer.write(finding, to: &file.rows)
    try file.flushIfFull()
  }

  /// Ends the file. Returns its entry in the manifest.
  func finish() throws(ReportError) -> ManifestEntry { try file.end() }
}
