package import AppAttest
internal import AuditLog
internal import Basics
package import Files

/// A build of an app, as Apple's system signed it (`reports.R64`). Empty and nil values are not known.
package struct Build: Sendable, Hashable {
  package var appID: String
  package var platform: KeyPlatform?
  package var category: ValidationCategory?
  package var bundleVersion: String
  package var codeHash: [UInt8]

  package init(
    appID: String, platform: KeyPlatform? = nil, category: ValidationCategory? = nil,
    bundleVersion: String = "", codeHash: [UInt8] = []
  ) {
    self.appID = appID
    self.platform = platform
    self.category = category
    self.bundleVersion = bundleVersion
    self.codeHash = codeHash
  }

  /// The values as `builds.csv` has them.
  package var texts: [String] {
    [
      appID, platform?.name ?? "", category?.name ?? "", bundleVersion, Hex.text(codeHash),
    ]
  }

  /// The digest by which runs know it again.
  package var digest: Digest256 {
    var bytes: [UInt8] = []
    for text in texts {
      bytes.append(number: UInt32(text.utf8.count))
      bytes += text.utf8
    }
    return .sha256(bytes.span)
  }
}

extension Build: Comparable {
  /// Compares the values as bytes, in the order of their columns.
  package static func < (left: Build, right: Build) -> Bool {
    for (one, other) in zip(left.texts, right.texts) where !one.utf8.elementsEqual(other.utf8) {
      return one.utf8.lexicographicallyPrecedes(other.utf8)
    }
    return false
  }
}

/// One row of `builds.csv` (`reports.R65`): the verified records of one build.
package struct BuildRow: Sendable {
  package static let limit = 100_000

  package var build: Build
  package var counts: BuildCounts

  package init(_ build: Build, _ counts: BuildCounts = BuildCounts()) {
    self.build = build
    self.counts = counts
  }
}

package struct BuildCounts: CodedRow, Sendable {
  package enum Number: Int {
    case attestations, assertions, accepted, rejected, findings, keys, subjects
    /// The events that are outside the policy on builds, verified or not.
    case outside
  }

  package var firstSeen = Int64.max
  package var lastSeen = Int64.min
  package var worst: Severity?
  private var numbers = InlineArray<8, UInt64>(repeating: 0)

  package init() {}

  package subscript(number: Number) -> UInt64 {
    get { numbers[number.rawValue] }
    set { numbers[number.rawValue] = newValue }
  }

  var verified: UInt64 { self[.attestations] &+ self[.assertions] }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.number(&firstSeen)
    try coder.number(&lastSeen)
    try coder.value(&worst)
    for number in numbers.indices { try coder.smallCount(&numbers[number]) }
  }

  mutating func add(_ event: EventRow) {
    firstSeen = min(firstSeen, event.time)
    lastSeen = max(lastSeen, event.time)
    self[event.kind == .attestation ? .attestations : .assertions] += 1
    switch event.decision {
    case .accepted: self[.accepted] += 1
    case .rejected: self[.rejected] += 1
    case .unknown: break
    }
  }

  mutating func add(_ severity: Severity) {
    self[.findings] += 1
    raise(severity)
  }

  mutating func raise(_ severity: Severity) { worst = max(worst ?? severity, severity) }

  mutating func add(_ other: BuildCounts) {
    firstSeen = min(firstSeen, other.firstSeen)
    lastSeen = max(lastSeen, other.lastSeen)
    worst = [worst, other.worst].compactMap(\.self).max()
    for number in numbers.indices { numbers[number] &+= other.numbers[number] }
  }
}
