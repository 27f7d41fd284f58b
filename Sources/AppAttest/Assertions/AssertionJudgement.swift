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

  init(counter: UInt32, extensions: AuthenticatorExtensions) {
    self.counter = counter
    self.extensions = extensions
  }
}
