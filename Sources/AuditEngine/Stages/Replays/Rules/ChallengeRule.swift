internal import AppAttest
internal import Basics

/// The rule on challenges: which of them an event may use, and what is reported of the others.
struct ChallengeRule {
  private let detection: DetectionPolicy

  init(_ detection: DetectionPolicy) { self.detection = detection }

  /// Returns what is wrong with the last challenge that an event may use, or nil if nothing is.
  func verdict(on challenge: IssuedChallenges.Issue?, at time: Int64) -> FindingCode? {
    guard let challenge else { return detection.challengesRequired ? .challengeNotIssued : nil }
    guard let limit = detection.challengeLimit, age(challenge, at: time) > limit else { return nil }
    return .challengeExpired
  }

  /// Returns what a finding about the challenge of an event says.
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
      related: RelatedEvent(
        EventPlace(position: challenge.position, time: issuedAt), keyID: nil))
  }

  private func age(_ challenge: IssuedChallenges.Issue, at time: Int64) -> Int64 {
    time - (challenge.time + detection.reorderTolerance)
  }
}
