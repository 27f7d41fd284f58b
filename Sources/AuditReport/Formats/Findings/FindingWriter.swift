internal import AuditEngine

/// Writes findings in one format, one after the other.
protocol FindingWriter {
  /// Writes what comes before the findings. `sightings`: the run has a state.
  mutating func begin(sightings: Bool, _ rows: inout RowBuffer)

  /// Writes a finding; `sighting` counts this run as well, and is nil where there is no state.
  mutating func write(
    _ finding: Finding, _ sighting: Sighting?, sources: SourceNames, to rows: inout RowBuffer)

  /// Writes what comes behind the findings.
  mutating func end(_ rows: inout RowBuffer)
}

extension FindingWriter {
  mutating func begin(sightings: Bool, _ rows: inout RowBuffer) {}
  mutating func end(_ rows: inout RowBuffer) {}
}
