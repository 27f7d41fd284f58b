internal import AppAttest

/// The accepted findings that hold in a run, found by what they mean.
struct AcceptedFindings: Sendable {
  /// Nothing is accepted.
  static let none = AcceptedFindings([], day: "", areKept: false)

  /// Those that hold, in the order of the settings.
  let entries: [AcceptedFinding]
  /// Those whose last day has passed, in the order of the settings.
  let expired: [AcceptedFinding]
  /// Whether rows of accepted findings are written, marked: later runs are told that this one had
  /// them.
  let areKept: Bool
  private let places: [AcceptedFinding.Target: Int]

  /// `day` is the run's (``AuditConfiguration/day``).
  init(_ accepted: [AcceptedFinding], day: String, areKept: Bool) {
    entries = accepted.filter { $0.holds(on: day) }
    expired = accepted.filter { !$0.holds(on: day) }
    self.areKept = areKept
    places = Dictionary(
      entries.enumerated().map { ($0.element.target, $0.offset) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Where in ``entries`` the one that accepts such a finding stands: by its fingerprint before all
  /// of a code at a key; nil: none does.
  func entry(_ code: FindingCode, keyID: Digest256?, fingerprint: UInt64) -> Int? {
    if places.isEmpty { return nil }
    if let place = places[.fingerprint(fingerprint)] { return place }
    return keyID.flatMap { places[.key(code, $0)] }
  }
}

/// How many findings an accepted finding kept out of the reports.
package struct AcceptedCount: Sendable, Equatable {
  package var finding: AcceptedFinding
  package var count: UInt64

  package init(_ finding: AcceptedFinding, count: UInt64 = 0) {
    self.finding = finding
    self.count = count
  }
}
