internal import AppAttest
internal import AuditEngine

/// Keys by app, environment, system version and category.
struct PageApps {
  /// The largest number of combinations that are counted separately.
  static let limit = 200

  /// The values that a combination consists of.
  struct Kind: Hashable, Comparable {
    var appID: String
    var environment: String
    var osVersion: String
    var category: String

    static func < (a: Kind, b: Kind) -> Bool {
      (a.appID, a.environment, a.osVersion, a.category)
        < (b.appID, b.environment, b.osVersion, b.category)
    }
  }

  /// The counts for one combination.
  struct Entry {
    var keys: UInt64 = 0
    var assertions: UInt64 = 0
    var findings: UInt64 = 0

    mutating func add(_ row: KeyRow) {
      keys += 1
      assertions += row.assertions
      findings += row.findings
    }
  }

  private var entries = Top<Kind, Entry>(limit: PageApps.limit)
  /// The number of keys of combinations that came when the table was full.
  var others: UInt64 { entries.others }

  /// Takes a row of `keys.csv`.
  mutating func add(_ row: KeyRow) {
    let kind = Kind(
      appID: PageText.cut(row.appID), environment: row.environment?.name ?? "",
      osVersion: PageText.cut(row.osVersion), category: row.category?.name ?? "")
    entries.update(kind, from: Entry()) { $0.add(row) }
  }

  /// The entries in order of app, environment, version and category.
  var sorted: [(kind: Kind, entry: Entry)] {
    entries.first(Self.limit) { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
