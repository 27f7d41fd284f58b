internal import AppAttest
internal import OpenSSL

/// The rule about challenges: each event has to use one that was handed out, and not too long ago.
struct ChallengeRule {
  let detection: DetectionPolicy

  /// Returns what is wrong with the last challenge that an event may use.
  func verdict(on challenge: IssuedChallenges.Issue?, at time: Int64) -> FindingCode? {
    guard let challenge else { return detection.challengesRequired ? .challengeNotIssued : nil }
    guard let limit = detection.challengeLimit, age(challenge, at: time) > limit else { return nil }
    return .challengeExpired
  }

  private func age(_ challenge: IssuedChallenges.Issue, at time: Int64) -> Int64 {
    time - (challenge.time + detection.reorderTolerance)
  }

  /// Returns the finding's sentence.
  func sentence(_ challenge: IssuedChallenges.Issue?, at time: Int64) -> String {
    guard let challenge else {
      return "No challenge with this hash was handed out before the event, "
        + "\(UTCText.text(milliseconds: time)), or within "
        + "\(DetailText.duration(detection.reorderTolerance.magnitude)) after it."
    }
    let issuedAt = challenge.time + detection.reorderTolerance
    let limit = detection.challengeTTL.map { DetailText.duration($0.magnitude) } ?? "any time"
    return "The challenge was used \(age(challenge, at: time)) ms after it was last handed out, at "
      + "\(UTCText.text(milliseconds: issuedAt)): more than the \(limit) allowed."
  }
}
