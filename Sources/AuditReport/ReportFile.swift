internal import AppAttest
internal import AuditEngine

enum ReportFile {
  static let allNames =
    FindingFormat.allCases.map(\.fileName) + [
      KeyColumns.name, RejectColumns.name, SummaryJSON.name, VerdictsCSV.name, EventsCSV.name,
      EventsIndex.name, accepted, withdrawn, BuildColumns.name, ReportPage.name, Manifest.name,
      SimulationColumns.csv, SimulationColumns.jsonl,
    ]

  /// The files from which all others but rejects and events are made.
  static let sources = [FindingFormat.jsonl.fileName, KeyColumns.name, SummaryJSON.name]

  /// The findings that the settings accept, written only if there are any.
  static let accepted = "accepted.csv"
  /// The findings of earlier runs that a run withdraws, with the reason as their sentence.
  static let withdrawn = "withdrawn.csv"

  /// Returns whether the file is rendered from others. All other files are copied.
  static func isRendered(_ name: String) -> Bool {
    name == ReportPage.name || name == Manifest.name
      || FindingFormat.allCases.contains { $0 != .jsonl && $0.fileName == name }
  }
}

/// The name and version that reports and `--version` show.
package enum Tool {
  package static let name = "attest-audit"
  package static let version = "0.1.0"
}

struct ManifestEntry: Sendable, Equatable {
  var name = ""
  var size: UInt64 = 0
  var sha256: Digest256?
}

/// The file `manifest.json`: name, size and SHA-256 of every other file, by name.
enum Manifest {
  static let name = "manifest.json"
  static let columns = Columns<ManifestEntry>([
    Column.text("name", "the name of the file", \.name).required,
    Column.number("size", "its bytes", \.size).required,
    Column.hex("sha256", "its SHA-256", \.sha256).required,
  ])

  static func tree(_ entries: [ManifestEntry]) -> JSONTree {
    ["files": columns.tree(entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })]
  }
}
