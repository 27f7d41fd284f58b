internal import AuditEngine
internal import Basics

/// The builds of one key's events, in order of their first event.
package struct KeyBuilds: Sendable {
  package struct Entry: Sendable {
    /// Its version, category and the beginning of its code hash. Texts are in the form of a report's tables.
    package let name: String
    /// The letter for it: A to H. All further builds share the last entry, with `+`.
    package let letter: String
    package fileprivate(set) var events = 0
    package let first: Int64?
  }

  private static let limit = 8

  package private(set) var entries: [Entry] = []
  private var places: [String: Int] = [:]

  /// Collects the builds of events, which are in order of time.
  package init(_ events: some Sequence<TimelineEvent>) {
    for event in events {
      guard let name = event.signedBuild, places[name] != nil || place(name, event.time) else {
        continue
      }
      entries[places[name] ?? 0].events += 1
    }
  }

  /// Whether there is more than one, so that each needs a mark.
  package var areSeveral: Bool { entries.count > 1 }

  /// Returns the index of an event's build in ``entries``, or nil if it shows none.
  package func index(of event: TimelineEvent) -> Int? { event.signedBuild.flatMap { places[$0] } }

  private mutating func place(_ name: String, _ time: Int64?) -> Bool {
    if entries.count <= Self.limit {
      let isLast = entries.count == Self.limit
      entries.append(
        Entry(
          name: isLast ? "further builds" : name,
          letter: isLast ? "+" : String(UnicodeScalar(UInt8(ascii: "A") + UInt8(entries.count))),
          first: time))
    }
    places[name] = entries.count - 1
    return true
  }
}

extension TimelineEvent {
  /// The build that Apple's system signed, or nil. A failed policy on builds does not matter.
  fileprivate var signedBuild: String? {
    let isPolicy = codes.allSatisfy { code in
      code.hasSuffix(".category_mismatch") || code.hasSuffix(".code_mismatch")
        || !code.hasPrefix("assertion.") && !code.hasPrefix("attestation.")
    }
    guard isVerified || verdict == Verdict.failed.name && isPolicy else { return nil }
    let parts = [bundleVersion, category, String(Hex.text(codeHash).prefix(12))]
      .filter { !$0.isEmpty }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }
}
