/// The judgement on a token that should be an assertion.
public enum AssertionJudgement: Sendable {
  /// The token is not an assertion. One English sentence gives the reason. No check was run.
  case malformed(String)
  case judged(JudgedAssertion)

  /// Whether the token is an assertion and no check failed.
  public var isValid: Bool {
    if case .judged(let judged) = self { return judged.failures.isEmpty }
    return false
  }
}

/// An assertion after all its checks. Only ``AssertionVerifier`` makes one.
public struct JudgedAssertion: Sendable, Equatable {
  /// A check that failed.
  public struct Failure: Sendable, Equatable {
    public let check: AssertionCheck
    /// One English sentence.
    public let detail: String
  }

  /// The failed checks, in the order of ``AssertionCheck``.
  public internal(set) var failures: [Failure] = []
  /// The sign counter. A server stores it if the assertion is valid.
  public let counter: UInt32
  /// The facts about the app from iOS 27 and later.
  public let extensions: AuthenticatorExtensions
}

/// The checks of an assertion that is well-formed, in the order in which they are run.
public enum AssertionCheck: UInt8, CaseIterable, Sendable {
  /// Category and bundle version are ones that the app accepts.
  case category
  /// The signed code hash is one that the app accepts.
  case code
  /// rpIdHash is the SHA-256 of the App ID (Apple's step 4).
  case appID
  /// The signature is valid under the key (Apple's steps 1 to 3).
  case signature
  /// The counter is above that of the key's last assertion (Apple's step 5).
  case counter
}
