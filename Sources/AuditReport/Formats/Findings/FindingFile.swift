internal import AuditEngine

/// A file of findings in one format while it is written. It is used by one thread.
final class FindingFile {
  private var writer: any FindingWriter
  private var file: OutputFile

  /// Takes over `file`. `sightings` is true if the run has a state.
  init(_ format: FindingFormat, _ file: consuming OutputFile, sightings: Bool) {
    writer = format.makeWriter()
    self.file = file
    writer.begin(sightings: sightings, &self.file.rows)
  }

  /// Writes a finding. `sighting` counts this run as well, and is nil if there is no state.
  func write(
    _ finding: Finding, _ sighting: Sighting?, sources: SourceNames
  ) throws(ReportError) {
    writer.write(finding, sighting, sources: sources, to: &file.rows)
    try file.flushIfFull()
  }

  /// Ends the file. Returns its entry in the manifest.
  func finish() throws(ReportError) -> ManifestEntry {
    writer.end(&file.rows)
    return try file.end()
  }
}
