import AppAttest

/// A server that takes requests of genuine instances of its app only.
struct AppServer {
  /// The values that a server keeps of a key.
  struct KnownKey {
    let publicKey: [UInt8]
    var counter: UInt32
  }

  private let app: AppPolicy
  private let attestations: AttestationVerifier
  /// Challenges that no request used yet, with when they were issued.
  private var challenges: [[UInt8]: Int64] = [:]
  private(set) var keys: [Digest256: KnownKey] = [:]

  init(
    app: AppPolicy, trustAnchors: [[UInt8]] = [AppleTrust.appAttestationRootCA],
    receiptAnchors: [[UInt8]] = [AppleTrust.rootCAG3]
  ) throws {
    self.app = app
    attestations = try AttestationVerifier(
      apps: ConfiguredApps([app]), trustAnchors: trustAnchors, receiptAnchors: receiptAnchors)
  }

  /// Issues a challenge. Times are milliseconds since 1970.
  mutating func issueChallenge(at time: Int64) -> [UInt8] {
    let challenge = (0..<32).map { _ in UInt8.random(in: 0...255) }
    challenges[challenge] = time
    return challenge
  }

  /// Takes an attestation, which the app made for the SHA-256 of a challenge. Returns the reason
  /// where it is refused.
  mutating func register(
    _ key: Digest256, attestation: [UInt8], challenge: [UInt8], at time: Int64
  ) -> String? {
    if let reason = use(challenge, at: time) { return reason }
    let judgement = attestations.judge(
      token: attestation.span, keyIdentifier: key,
      clientDataHash: Digest256.sha256(challenge.span).bytes.span, appID: app.id, time: time)
    switch judgement {
    case .malformed(let reason): return reason
    case .judged(let judged):
      guard let verified = judged.verified, judged.failures.isEmpty else {
        return judged.failures.map(\.detail).joined(separator: " ")
      }
      keys[key] = KnownKey(publicKey: verified.publicKey, counter: 0)
      return nil
    }
  }

  /// Takes a request, which carries a challenge and was signed whole. Returns the reason where it
  /// is refused.
  mutating func accept(
    _ request: [UInt8], challenge: [UInt8], assertion: [UInt8], of key: Digest256, at time: Int64
  ) -> String? {
    guard let known = keys[key],
      let verifier = AssertionVerifier(publicKey: known.publicKey, app: app)
    else { return "The key is unknown." }
    if let reason = use(challenge, at: time) { return reason }
    let judgement = verifier.judge(
      token: assertion.span, clientDataHash: Digest256.sha256(request.span).bytes.span,
      counters: CounterPolicy(above: known.counter))
    switch judgement {
    case .malformed(let reason): return reason
    case .judged(let judged):
      guard judged.failures.isEmpty else {
        return judged.failures.map(\.detail).joined(separator: " ")
      }
      keys[key]?.counter = judged.counter
      return nil
    }
  }

  /// Uses a challenge up. Returns the reason where it may not be used.
  private mutating func use(_ challenge: [UInt8], at time: Int64) -> String? {
    guard let issuedAt = challenges.removeValue(forKey: challenge) else {
      return "The challenge is not one that was issued and is unused."
    }
    return ChallengePolicy(issued: challenge, at: issuedAt)
      .evaluate(.init(challenge: challenge, time: time)).reason
  }
}
