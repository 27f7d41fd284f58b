internal import AuditEngine

/// The files that a report can hold.
enum ReportFile {
  /// Every name.
  static let allNames =
    FindingFormat.allCases.map(\.fileName) + [
      KeysCSV.name, RejectsJSONLines.name, SummaryJSON.name, VerdictsCSV.name, EventsCSV.name,
      EventsIndex.name, AcceptedCSV.name, WithdrawnCSV.name, ReportPage.name, Manifest.name,
    ]

  /// Returns whether the file is rendered from others. All other files are copied when a report is
  /// rendered again.
  static func isRendered(_ name: String) -> Bool {
    name == ReportPage.name || name == Manifest.name
      || FindingFormat.allCases.contains { $0 != .jsonl && $0.fileName == name }
  }
}
