internal import AppAttest

/// The accepted findings that hold in a run, found by what they mean.
struct AcceptedFindings: Sendable {
  static let none = AcceptedFindings([], day: "")

  /// The entries that hold, in the order of the settings.
  let entries: [AcceptedFinding]
  /// The entries whose last day has passed, in the order of the settings.
  let expired: [AcceptedFinding]
  private let places: [AcceptedFinding.Target: Int]

  /// Makes the accepted findings of a run on `day` (``AuditConfiguration/acceptanceDay``).
  init(_ accepted: [AcceptedFinding], day: String) {
    entries = accepted.filter { $0.holds(on: day) }
    expired = accepted.filter { !$0.holds(on: day) }
    places = Dictionary(
      entries.enumerated().map { ($0.element.target, $0.offset) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns whether entries cover records of an app, or of none, that no setting names.
  func coversMismatches(of appID: String?) -> Bool {
    [FindingCode.attestationAppIDMismatch, .assertionAppIDMismatch].contains { code in
      places[.code(code)] != nil || appID.map { places[.app(code, $0)] != nil } ?? false
    }
  }

  /// The index of the narrowest of ``entries`` that covers a finding, or else of the first one that means it but not its
  /// severity.
  typealias Acceptance = (entry: Int?, brokenThrough: Int?)

  /// Returns what covers a finding: if it can count lines with other codes, only its fingerprint.
  func acceptance(of finding: Finding, hasOtherCodes: Bool) -> Acceptance {
    var acceptance: Acceptance = (nil, nil)
    if places.isEmpty { return acceptance }
    func look(_ target: AcceptedFinding.Target) {
      guard acceptance.entry == nil, let place = places[target] else { return }
      if finding.severity <= entries[place].severity {
        acceptance = (place, nil)
      } else {
        acceptance.brokenThrough = acceptance.brokenThrough ?? place
      }
    }
    look(.fingerprint(finding.fingerprint))
    if hasOtherCodes { return acceptance }
    if let keyID = finding.keyID { look(.key(finding.code, keyID)) }
    if !finding.appID.isEmpty { look(.app(finding.code, finding.appID)) }
    look(.code(finding.code))
    return acceptance
  }
}

/// The number of findings that an accepted finding kept out of the reports.
package struct AcceptedCount: Sendable, Equatable {
  package var finding: AcceptedFinding
  package var count: UInt64
  /// The findings that it means, and that are more severe than what it covers.
  package var moreSevere: UInt64

  package init(_ finding: AcceptedFinding, count: UInt64 = 0, moreSevere: UInt64 = 0) {
    self.finding = finding
    self.count = count
    self.moreSevere = moreSevere
  }
}
