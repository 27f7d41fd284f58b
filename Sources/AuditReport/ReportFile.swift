internal import AppAttest
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

/// The entry of one file in `manifest.json`.
struct ManifestEntry: Equatable {
  var name: String
  var size: UInt64
  var sha256: Digest256
}

/// The file `manifest.json`: name, size and SHA-256 of every other file, by name.
enum Manifest {
  static let name = "manifest.json"

  static func tree(_ entries: [ManifestEntry]) -> JSONTree {
    let sorted = entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    let files = sorted.map { file -> JSONTree in
      [
        "name": .string(file.name), "size": .number(file.size), "sha256": .string(file.sha256.hex),
      ]
    }
    return .object([("files", .array(files))])
  }
}
