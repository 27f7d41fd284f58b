internal import AppAttest
internal import AuditLog

/// The sentences of the findings of the replay table.
struct ReplaySentences {
  private let places: EventPlaces

  init(places: EventPlaces) { self.places = places }

  /// Returns the detail of a finding about an event at `time`, and the event that it names.
  /// `keyID` is the key of that event, if it is known.
  func detail(_ finding: ReplayFinding, at time: Int64, of keyID: Digest256?) -> FindingDetail {
    FindingDetail(
      sentence(finding, at: time),
      related: RelatedEvent(
        EventPlace(position: finding.related, time: finding.time),
        keyID: finding.code == .replayCrossKey ? finding.otherKey : keyID))
  }

  /// Returns the detail of a finding about an event, with what else graded it.
  func graded(_ detail: FindingDetail, _ code: FindingCode, _ event: JudgedEvent) -> FindingDetail {
    let decision = event.grading(code)
    guard decision != event.row.decision else { return detail }
    var graded = detail
    graded.text +=
      decision == .accepted
      ? " A copy of the request was accepted." : " A copy of the request has no decision."
    return graded
  }

  private func sentence(_ finding: ReplayFinding, at time: Int64) -> String {
    let place = places.text(finding.related, at: finding.time)
    // Behind a verified event one that could not be verified may be the earlier one.
    let before = finding.time <= time ? "before, \(place)" : "\(place), too"
    switch finding.code {
    case .recordDuplicate: return "The same request was logged twice, first \(place)."
    case .replayRetry: return "The same request came again, as a retry does: it was \(before)."
    case .replayAssertion, .replayAttestation:
      let what = finding.code == .replayAssertion ? "assertion" : "attestation"
      let fields = finding.isIdentical ? "; both records agree in every mapped field" : ""
      return "The same \(what) was used \(before)\(fields)."
    case .replayCrossKey:
      let key = finding.otherKey.map { " \($0.hex.prefix(16))…" } ?? ""
      return "The clientDataHash was used under another key\(key) \(before)."
    default:
      return "The clientDataHash was used under this key, with another signature, \(before)."
    }
  }

  /// Returns the detail of the finding about a further attestation of a key.
  func reattested(_ row: HashRow) -> FindingDetail {
    reattested(row.rest.firstAttestation, of: row.knownKeyID)
  }

  /// Returns the detail of the finding about a further attestation of a key that was attested first
  /// there and then.
  func reattested(_ first: EventPlace?, of keyID: Digest256? = nil) -> FindingDetail {
    let place = places.text(first?.position, at: first?.time)
    // What an earlier run's attestation was for may be forgotten, and a list never says it.
    let hash =
      first.map { places.isEarlier($0.position) } ?? true
      ? "and no attestation for this clientDataHash is remembered" : "for another clientDataHash"
    return FindingDetail(
      "The key, which was attested\(place.isEmpty ? " before" : " " + place), was attested "
        + "again, \(hash).",
      related: RelatedEvent(first, keyID: keyID))
  }
}
