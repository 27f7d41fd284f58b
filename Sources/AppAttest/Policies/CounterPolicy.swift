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
