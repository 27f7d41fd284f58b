/// The rule on sign counters: an assertion's is above that of the key's last one, or above 0.
public struct CounterPolicy: Policy {
  private let last: UInt32

  /// - Parameter last: The counter of the key's last assertion that the server took; 0 behind the
  ///   attestation.
  public init(above last: UInt32) { self.last = last }

  public func evaluate(_ counter: UInt32) -> PolicyOutcome {
    counter > last
      ? .meets : .fails(reason: "The counter is \(counter), not above the last one, \(last).")
  }
}
