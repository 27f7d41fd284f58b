internal import AuditEngine

/// A writer of findings in one format, one after the other.
protocol FindingWriter {
  /// Writes the text before the findings. `sightings` is true if the run has a state.
  mutating func begin(sightings: Bool, _ rows: inout RowBuffer)

  /// Writes a finding. `sighting` counts this run as well, and is nil if there is no state.
  mutating func write(
    _ finding: Finding, _ sighting: Sighting?, sources: SourceNames, to rows: inout RowBuffer)

  /// Writes the text behind the findings.
  mutating func end(_ rows: inout RowBuffer)
}

extension FindingWriter {
  mutating func begin(sightings: Bool, _ rows: inout RowBuffer) {}
  mutating func end(_ rows: inout RowBuffer) {}
}
