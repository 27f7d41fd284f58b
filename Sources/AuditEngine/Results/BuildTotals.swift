internal import AppAttest
internal import Basics

/// A build as the report page draws it: its requests by hour. Requests that fail nothing but the policy on
/// builds are among them, although `builds.csv` does not count them.
package struct BuildUse: Sendable, Equatable {
  /// The most keys that are named. If more have it, none is.
  package static let keyLimit = 16
  package static let binLimit = 256

  package var build: Build
  package var keys: UInt64 = 0
  /// The beginnings of the keys' identifiers, in hex.
  package var keyPrefixes: [String] = []
  /// The number of requests that are outside the policy on builds.
  package var outside: UInt64 = 0
  /// The requests by `Decision.rawValue`.
  package var hours = TimeBins(kinds: 3, limit: BuildUse.binLimit)

  package init(_ build: Build) { self.build = build }

  package var requests: UInt64 { hours.total }

  package var isInternal: Bool {
    build.category == ValidationCategory(name: "development")
      || build.category == ValidationCategory(name: "enterprise")
  }

  /// Counts a key. Each comes once.
  mutating func add(key: Digest128) {
    keys += 1
    guard keys <= Self.keyLimit else {
      keyPrefixes = []
      return
    }
    keyPrefixes.append(Hex.text(key.words.0) + Hex.text(key.words.1))
  }
}

/// The totals of the builds of a run.
package struct BuildTotals: Sendable, Equatable {
  /// The most builds whose requests by hour the report page draws: the largest, and the notable.
  package static let useLimit = 40
  /// The name of records without a category, and of those whose category Apple has not named.
  package static let noCategory = "none"
  package static let unnamedCategory = "unnamed"

  package var builds: UInt64 = 0
  /// The number of builds beyond ``BuildRow/limit``.
  package var unlisted: UInt64 = 0
  /// The verified records by the name of their category.
  package var byCategory: [String: UInt64] = [:]
  /// The verified records that carry each value.
  package var withCategory: UInt64 = 0
  package var withBundleVersion: UInt64 = 0
  package var withCodeHash: UInt64 = 0
  /// The builds that the report page draws, in the order of their columns.
  package var uses: [BuildUse] = []
  package var furtherUses: UInt64 = 0

  package init() {}

  /// Counts a build of which so many records are verified.
  mutating func add(_ build: Build, records: UInt64) {
    let category = build.category
    builds += 1
    let isNamed = ValidationCategory.names.contains { $0.category == category }
    let name = isNamed ? category?.name : category.map { _ in Self.unnamedCategory }
    byCategory[name ?? Self.noCategory, default: 0] &+= records
    if category != nil { withCategory &+= records }
    if !build.bundleVersion.isEmpty { withBundleVersion &+= records }
    if !build.codeHash.isEmpty { withCodeHash &+= records }
  }

  mutating func add(_ use: BuildUse) {
    uses.append(use)
    if uses.count > 16 * Self.useLimit { choose() }
  }

  mutating func finish() {
    choose()
    uses.sort { $0.build < $1.build }
  }

  /// Forgets all builds but those that are drawn. They stay in their order.
  private mutating func choose() {
    guard uses.count > Self.useLimit else { return }
    let requests = uses.map(\.requests)
    let ranked = uses.indices.sorted { a, b in
      requests[a] != requests[b] ? requests[a] > requests[b] : a < b
    }
    let notable = ranked.dropFirst(Self.useLimit / 2).sorted { a, b in
      let (left, right) = (uses[a], uses[b])
      if left.interest != right.interest { return left.interest > right.interest }
      return left.keys != right.keys ? left.keys < right.keys : a < b
    }
    let chosen = ranked.prefix(Self.useLimit / 2) + notable.prefix(Self.useLimit / 2)
    furtherUses += UInt64(uses.count - chosen.count)
    uses = chosen.sorted().map { uses[$0] }
  }
}

extension BuildUse {
  fileprivate var interest: Int { outside > 0 ? 2 : isInternal ? 1 : 0 }
}
