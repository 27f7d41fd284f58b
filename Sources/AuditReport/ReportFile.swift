internal import AppAttest
internal import AuditEngine
internal import Synchronization

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

/// The names of sources by their numbers. A number without a source has an empty name.
struct SourceNames: Sendable {
  private let names: [String]
  /// The number of the first of `names`.
  private let first: UInt32
  private let earlier: @Sendable (UInt32) -> String

  init(
    _ names: [String], first: UInt32 = 0,
    earlier: @escaping @Sendable (UInt32) -> String = { _ in "" }
  ) {
    self.names = names
    self.first = first
    self.earlier = earlier
  }

  init(_ result: any AuditResult) {
    self.init(result.sources, first: result.firstSource, earlier: result.earlierSource)
  }

  subscript(source: UInt32) -> String {
    guard source >= first else { return earlier(source) }
    let index = Int(source - first)
    return index < names.count ? names[index] : ""
  }
}

/// The numbers of sources in a report that is read, as in an audit. Names are one if their bytes are.
final class StoredSources: Sendable {
  private let numbers = Mutex<[[UInt8]: UInt32]>([:])

  func number(_ name: String) -> UInt32 {
    let bytes = Array(name.utf8)
    return numbers.withLock { numbers in
      let number = numbers[bytes] ?? UInt32(numbers.count)
      numbers[bytes] = number
      return number
    }
  }
}
