/// The rule on challenges: a request carries the one that was issued for it, in time. The server
/// itself has to forget a challenge once a request came with it.
public struct ChallengePolicy: Policy {
  /// A challenge as a request carries it.
  public struct Presented: Sendable {
    public var challenge: [UInt8]
    /// The time of the request, in milliseconds since 1970.
    public var time: Int64

    public init(challenge: [UInt8], time: Int64) {
      self.challenge = challenge
      self.time = time
    }
  }

  private let issued: [UInt8]
  private let time: Int64
  private let lifetime: Int64

  /// Makes the rule for a challenge that was issued at `time`, in milliseconds since 1970, and may
  /// be used for `lifetime` milliseconds.
  public init(issued: [UInt8], at time: Int64, lifetime: Int64 = 300_000) {
    self.issued = issued
    self.time = time
    self.lifetime = lifetime
  }

  public func evaluate(_ presented: Presented) -> PolicyOutcome {
    // No early end, so that the running time reveals nothing about the challenge.
    var difference: UInt8 = issued.count == presented.challenge.count && !issued.isEmpty ? 0 : 1
    for (left, right) in zip(issued, presented.challenge) { difference |= left ^ right }
    guard difference == 0 else {
      return .fails(reason: "The challenge is not the one that was issued.")
    }
    let (age, isBeyond) = presented.time.subtractingReportingOverflow(time)
    guard !isBeyond, age >= 0, age <= lifetime else {
      return .fails(
        reason: "The challenge was used \(isBeyond ? "far more than" : "\(age)") ms after it was "
          + "issued: at most \(lifetime) ms are allowed.")
    }
    return .meets
  }
}
