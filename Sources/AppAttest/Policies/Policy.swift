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

/// The rule that a sign counter is above that of the key's last assertion, or above 0.
public struct CounterPolicy: Policy {
  private let last: UInt32

  /// Makes the rule. `last` is the last counter that the server accepted, or 0.
  public init(above last: UInt32) { self.last = last }

  public func evaluate(_ counter: UInt32) -> PolicyOutcome {
    counter > last
      ? .meets : .fails(reason: "The counter is \(counter), not above the last one, \(last).")
  }
}

/// The environments whose keys an app accepts.
public struct EnvironmentPolicy: Policy {
  private let app: AppPolicy

  public init(_ app: AppPolicy) { self.app = app }

  public func evaluate(_ environment: AttestEnvironment) -> PolicyOutcome {
    if app.environments.contains(environment) { return .meets }
    let allowed = AttestEnvironment.allCases.filter(app.environments.contains).map(\.name)
    return .fails(
      reason: "The environment is \(environment.name); the app \(app.id) allows "
        + "\(DetailText.list(allowed)).")
  }
}
