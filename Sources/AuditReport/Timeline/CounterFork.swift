package import AppAttest
internal import AuditEngine
internal import AuditLog

/// Two rising sequences of counters of one key: the private key is in two places.
package struct CounterFork: Sendable, Equatable {
  /// The event after which the sequences part, or nil if the second one begins first.
  package var parting: Int?
  package var first: Int
  /// The event with which the first sequence continues after the parting, or nil if it does not.
  package var next: Int?
  /// The sequence, 0 or 1, of each event that belongs to one, by the timeline's indices.
  package var branch: [Int: Int]
  package var length: Int

  /// The smallest number of events of the second sequence, and of its turns with the first.
  private static let leastEvents = 2
  private static let leastTurns = 2

  /// Finds the fork of a key, or nil if there is none. Each event goes to the sequence that it
  /// continues most closely; replays belong to neither, and late events to the first.
  package static func find(_ timeline: Timeline, key: Digest256) -> CounterFork? {
    // The last event of each sequence.
    var tails: [(counter: UInt32, time: Int64)] = []
    var used: [UInt32: Set<[UInt8]>] = [:]
    var fork = CounterFork(parting: nil, first: 0, branch: [:], length: 0)
    var turns = 0
    var last = 0
    for (index, event) in timeline.events.enumerated() {
      guard event.keyID == key, event.isVerified, event.kind == RecordKind.assertion.name,
        let counter = event.counter, let time = event.time
      else { continue }
      let isReplay = used[counter]?.contains(event.clientDataHash) == true
      let isRepeated = used[counter] != nil
      used[counter, default: []].insert(event.clientDataHash)
      if isReplay { continue }
      let lower = tails.indices.filter { tails[$0].counter < counter }
      let place = lower.max { tails[$0].counter < tails[$1].counter } ?? tails.count
      if place == tails.count {
        if !isRepeated, let first = tails.first, time - first.time <= timeline.reorderTolerance {
          fork.branch[index] = 0
          continue
        }
        guard place < 2 else { continue }
        if place == 1 { fork.first = index }
        tails.append((counter, time))
      }
      tails[place] = (counter, time)
      fork.branch[index] = place
      if place == 1 { fork.length += 1 }
      if tails.count == 2, place != last { turns += 1 }
      last = place
    }
    guard fork.length >= leastEvents, turns > leastTurns else { return nil }
    fork.parting = parting(timeline, fork)
    if let parting = fork.parting {
      fork.next = fork.branch.keys.filter { $0 > parting && fork.branch[$0] == 0 }.min()
    }
    return fork
  }

  /// Returns the last event of the first sequence before the second one that has a lower counter.
  private static func parting(_ timeline: Timeline, _ fork: CounterFork) -> Int? {
    guard let counter = timeline.events[fork.first].counter else { return nil }
    return (0..<fork.first).last { index in
      fork.branch[index] == 0 && (timeline.events[index].counter ?? .max) < counter
    }
  }
}
