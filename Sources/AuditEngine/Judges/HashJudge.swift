internal import AppAttest

/// A judge of the events of one clientDataHash by the replay table (`detection.md`, "Replay").
///
/// A value that knows nothing of nights, files, states or reports. It wants the events in four orders,
/// one after the other, and leaves what it finds in their notes. Memory: nothing but the last event's.
struct HashJudge {
  private var requests: RequestTracker
  private var same: SameTracker
  private var keys = KeyTracker()
  private var hash: HashTracker

  init(_ policy: DetectionPolicy) {
    requests = RequestTracker(policy)
    same = SameTracker(policy)
    hash = HashTracker(scope: policy.replayScope)
  }

  /// The orders in which it wants all events.
  static let orders: [ReplayOrder] = [.request, .same, .key, .hash]

  /// Takes an event in one of the orders.
  mutating func take(_ event: inout ReplayEvent, in order: ReplayOrder) {
    switch order {
    case .request: requests.take(&event)
    case .same: same.take(&event)
    case .key: keys.take(&event)
    case .hash: hash.take(&event)
    }
  }

  /// Judges events in memory; they are left in the order `hash`.
  static func judge(_ events: inout [ReplayEvent], _ policy: DetectionPolicy) {
    var judge = HashJudge(policy)
    for order in orders {
      events.sort(by: order.precedes)
      for index in events.indices { judge.take(&events[index], in: order) }
    }
  }
}
