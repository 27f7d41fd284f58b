/// The verdict of a policy on a value.
public enum PolicyOutcome: Sendable, Equatable {
  case meets
  /// The value fails the rule. One English sentence gives the reason.
  case fails(reason: String)

  /// The sentence of a failure, or nil if the policy is met.
  public var reason: String? {
    if case .fails(let reason) = self { return reason }
    return nil
  }
}

/// A rule that a value meets, or fails for a reason. Policies are small values without a clock, I/O
/// or memory: all that a rule depends on is given when it is made.
public protocol Policy<Subject>: Sendable {
  associatedtype Subject

  /// Returns whether a value meets the rule.
  func evaluate(_ subject: Subject) -> PolicyOutcome
}
