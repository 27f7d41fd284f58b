internal import AuditEngine

/// A file of findings in one format while it is written; used by one thread.
final class FindingFile {
  private let format: FindingFormat
  private var file: OutputFile
  private var sarif = SarifText()

  /// Takes over `file`. `sightings`: the run has a state.
  init(_ format: FindingFormat, _ file: consuming OutputFile, sightings: Bool) {
    self.format = format
    self.file = file
    switch format {
    case .csv: FindingsCSV.writeHeader(sightings: sightings, to: &self.file.rows)
    case .sarif: SarifText.begin(&self.file.rows)
    case .jsonl, .ocsf, .ecs: break
    }
  }

  /// Writes a finding; `sighting` counts this run as well, and is nil where there is no state.
  func write(
    _ finding: Finding, _ sighting: Sighting?, sources: SourceNames
  ) throws(ReportError) {
    switch format {
    case .csv: FindingsCSV.write(finding, sighting, sources: sources, to: &file.rows)
    case .jsonl: FindingsJSONLines.write(finding, sighting, sources: sources, to: &file.rows)
    case .ocsf: OCSFLines.write(finding, sighting, sources: sources, to: &file.rows)
    case .ecs: ECSLines.write(finding, sighting, sources: sources, to: &file.rows)
    case .sarif: sarif.write(finding, sighting, sources: sources, to: &file.rows)
    }
    try file.flushIfFull()
  }

  /// Ends the file: what the manifest has to know.
  func finish() throws(ReportError) -> ManifestEntry {
    if format == .sarif { SarifText.end(&file.rows) }
    return try file.end()
  }
}
