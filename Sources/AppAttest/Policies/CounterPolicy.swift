/// The rule on sign counters: the counter of an assertion must be above that of the key's last
/// assertion, or above 0 if there was none.
public struct CounterPolicy: Policy {
  private let last: UInt32

  /// Makes the rule.
  ///
  /// - Parameter last: The counter of the key's last assertion that the server accepted, or 0 after
  ///   the attestation.
  public init(above last: UInt32) { self.last = last }

  public func evaluate(_ counter: UInt32) -> PolicyOutcome {
    counter > last
      ? .meets : .fails(reason: "The counter is \(counter), not above the last one, \(last).")
  }
}
