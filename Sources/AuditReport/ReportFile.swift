internal import AuditEngine

/// The files that a report can hold.
enum ReportFile {
  /// Every name.
  static let allNames =
    FindingFormat.allCases.map(\.fileName) + [
      KeyColumns.name, RejectColumns.name, SummaryJSON.name, VerdictsCSV.name, EventsCSV.name,
      EventsIndex.name, accepted, withdrawn, BuildColumns.name, ReportPage.name, Manifest.name,
      SimulationColumns.csv, SimulationColumns.jsonl,
    ]

  /// The files that are the report: all others are made from them, from the lines that could not be
  /// read, or from events.
  static let sources = [FindingFormat.jsonl.fileName, KeyColumns.name, SummaryJSON.name]

  /// The findings that the settings accept, in the columns of ``FindingColumns``. The file is written
  /// only if the settings accept any.
  static let accepted = "accepted.csv"
  /// The findings of earlier runs that a run with a state withdraws, in the same columns, with the
  /// reason in place of the sentence.
  static let withdrawn = "withdrawn.csv"

  /// Returns whether the file is rendered from others. All other files are copied when a report is
  /// rendered again.
  static func isRendered(_ name: String) -> Bool {
    name == ReportPage.name || name == Manifest.name
      || FindingFormat.allCases.contains { $0 != .jsonl && $0.fileName == name }
  }
}
