internal import AppAttest
internal import AuditLog
internal import Basics

/// The rule on challenges: which of them an event may use, and what is reported of the others.
struct ChallengeRule {
  let detection: DetectionPolicy

  /// Returns what is wrong with the last challenge that an event may use, or nil if nothing is.
  func verdict(on challenge: IssuedChallenges.Issue?, at time: Int64) -> FindingCode? {
    guard let challenge else { return detection.challengesRequired ? .challengeNotIssued : nil }
    guard let limit = detection.challengeLimit, age(challenge, at: time) > limit else { return nil }
    return .challengeExpired
  }

  func detail(_ challenge: IssuedChallenges.Issue?, at time: Int64) -> FindingDetail {
    guard let challenge else {
      return FindingDetail(
        "No challenge with this hash was issued before the event, "
          + "\(CivilTime(milliseconds: time).text), or within "
          + "\(DetailText.duration(detection.reorderTolerance.magnitude)) after it.")
    }
    let issuedAt = challenge.time + detection.reorderTolerance
    let limit = detection.challengeLimit.map { DetailText.duration($0.magnitude) } ?? "time"
    return FindingDetail(
      "The challenge was used "
        + "\(DetailText.duration(age(challenge, at: time).magnitude)) after it was last issued, at "
        + "\(CivilTime(milliseconds: issuedAt).text): more than the \(limit) allowed.",
      related: EventPlace(position: challenge.position, time: issuedAt))
  }

  private func age(_ challenge: IssuedChallenges.Issue, at time: Int64) -> Int64 {
    time - (challenge.time + detection.reorderTolerance)
  }
}

/// The rule on records that the server rejected: what speaks against one.
struct RejectionRule {
  static let detail = FindingDetail(
    "The server rejected the request, although nothing is wrong with it.")

  /// ``SeverityPolicy/faults``.
  let faults: CodeSet

  /// Returns true if nothing speaks against a rejected record, nor against all of its key.
  func isHarmless(_ flags: HashRow.Flags, _ codes: CodeSet) -> Bool {
    var codes = codes
    if let code = flags.unverifiableCode { codes.insert(code) }
    return !codes.intersects(faults)
  }

  /// Returns what later runs are to know speaks against an event.
  func blame(_ row: HashRow) -> KeptRecord.Flags {
    var blame: KeptRecord.Flags = []
    if row.decision == .rejected, isHarmless(row.flags, row.codes),
      !row.flags.contains(.mayBeReattested)
    {
      blame.insert(.blameless)
    }
    if row.tentativeCodes.intersects(faults) { blame.insert(.disputed) }
    return blame
  }
}

// The sentences of the findings of the replay table.
extension EventPlaces {
  /// Returns the detail of a finding about an event but for its challenge. `earlier` is the finding of earlier runs.
  func detail(
    _ code: FindingCode, _ event: JudgedEvent, earlier: Finding? = nil
  ) -> FindingDetail {
    switch code {
    case _ where CodeSet.ofRecord.contains(code): return FindingDetail(earlier)
    case .keyReattested: return reattested(event.row)
    case .decisionRejectedValid: return RejectionRule.detail
    case _ where CodeSet.counters.contains(code):
      return event.row.counterDetail(code) ?? FindingDetail(earlier)
    default: break
    }
    guard let finding = event.note.finding else { return FindingDetail("") }
    return FindingDetail(
      sentence(finding, at: event.row.time),
      related: finding.related,
      of: finding.code == .replayCrossKey ? finding.otherKey : event.row.knownKeyID)
  }

  private func sentence(_ finding: ReplayFinding, at time: Int64) -> String {
    let place = text(finding.related.position, at: finding.related.time)
    // Behind a verified event one that could not be verified may be the earlier one.
    let before = finding.related.time ?? 0 <= time ? "before, \(place)" : "\(place), too"
    switch finding.code {
    case .recordDuplicate: return "The same request was logged twice, first \(place)."
    case .replayRetry: return "The same request came again, as a retry does: it was \(before)."
    case .replayAssertion, .replayAttestation:
      let what = finding.code == .replayAssertion ? "assertion" : "attestation"
      let fields = finding.isIdentical ? "; \(FindingDetail.identical)" : ""
      return "The same \(what) was used \(before)\(fields)."
    case .replayCrossKey:
      let key = finding.otherKey.map { " \($0.hex.prefix(16))…" } ?? ""
      return "The clientDataHash was used under another key\(key) \(before)."
    default:
      return "The clientDataHash was used under this key, with another signature, \(before)."
    }
  }

  private func reattested(_ row: HashRow) -> FindingDetail {
    let first = row.rest.keyEvent
    let place = text(first?.position, at: first?.time)
    // What an earlier run's attestation was for may be forgotten, and a list never says it.
    let hash =
      first.map { $0.position.source < history?.firstSource ?? 0 } ?? true
      ? "and no attestation for this clientDataHash is remembered" : "for another clientDataHash"
    return FindingDetail(
      "The key, which was attested\(place.isEmpty ? " before" : " " + place), was attested "
        + "again, \(hash).",
      related: first, of: row.knownKeyID)
  }
}
