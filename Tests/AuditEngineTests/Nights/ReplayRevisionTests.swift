import AppAttest
import AuditLog
import TestSupport
import Testing

@testable import AuditEngine

/// Findings of earlier runs about the events of one hash, once a later run finds something else for
/// some of them.
@Suite struct `Replay revisions` {
  private func night(_ events: ReplaySample...) -> ReplayNight { ReplayNight(events: events) }

  private func standing(
    _ nights: [ReplayNight], _ scope: ReplayScope = .global
  ) throws -> [String] {
    var audit = ReplayNights()
    audit.detection.replayScope = scope
    return try audit.standing(nights)
  }

  @Test(arguments: ReplayScope.allCases)
  func `a forged event of the same instant closes nothing of an honest one`(
    _ scope: ReplayScope
  ) throws {
    let first = ReplaySample(time: 1, line: 1)
    let replay = ReplaySample(time: 5, line: 2)
    var forged = ReplaySample(identity: 2, time: 5, line: 3)
    forged.isBehind = true
    let later = ReplaySample(time: 9, source: 1, line: 4)
    let found = try standing([night(first, replay, forged), night(later)], scope)
    #expect(found.contains("replay.assertion 0.2") && found.contains("replay.assertion 1.4"))
  }

  @Test func `a forged event that waited under its device closes nothing of its key's`() throws {
    let first = ReplaySample(time: 1, line: 1)
    let replay = ReplaySample(time: 5, line: 2)
    var forged = ReplaySample(key: 9, identity: 2, time: 5, line: 3)
    forged.isBehind = true
    forged.isOfDevice = true
    var settled = ReplaySample(identity: 2, time: 5, line: 3)
    settled.isWaited = true
    settled.wasOfDevice = true
    settled.isLookedAt = false
    #expect(
      try standing([night(first, replay, forged), night(settled)]) == ["replay.assertion 0.2"])
  }

  @Test func `what was said of a device is said of its key once that is known`() throws {
    func waiting(_ time: Int64, _ line: UInt64) -> (before: ReplaySample, after: ReplaySample) {
      var before = ReplaySample(key: 9, time: time, line: line)
      before.isBehind = true
      before.isOfDevice = true
      var after = ReplaySample(time: time, line: line)
      after.isWaited = true
      after.wasOfDevice = true
      return (before, after)
    }
    let (first, second) = (waiting(1, 1), waiting(5, 2))
    let outcomes = try ReplayNights().run([
      night(first.before, second.before), night(first.after, second.after),
    ])
    #expect(outcomes.map(\.codes) == [["replay.assertion 0.2 0.1"], ["replay.assertion 0.2 0.1"]])
    #expect(outcomes[1].findings.map(\.keyID) == [digest(1)])
    #expect(outcomes[1].closed.map(\.fingerprint) == outcomes[0].findings.map(\.fingerprint))
  }

  @Test func `what is forgotten of the first takes nothing from the second`() throws {
    func unverified(_ time: Int64, _ source: UInt32) -> ReplaySample {
      var event = ReplaySample(time: time, source: source, line: 1)
      event.isBehind = true
      return event
    }
    let outcomes = try ReplayNights().run(
      [
        night(unverified(1, 0)), night(unverified(5, 1)),
        night(ReplaySample(key: 2, time: 9, source: 2, line: 1)),
      ], MemoryHistory(windowDays: 30), dates: ["2026-10-01", "2026-10-20", "2026-11-15"])
    #expect(
      outcomes.map(\.codes) == [[], ["replay.assertion 1.1 0.1"], ["replay.cross_key 1.1 2.1"]])
    #expect(outcomes.map(\.closed.count) == [0, 0, 0])
  }

  @Test func `a request that was logged twice is found behind what is verified later`() throws {
    func unverified(_ line: UInt64) -> ReplaySample {
      var event = ReplaySample(key: 3, time: 5, line: line, requestID: "r")
      event.isBehind = true
      return event
    }
    let verified = ReplaySample(key: 1, time: 9, source: 1, line: 3)
    let outcomes = try ReplayNights().run([night(unverified(1), unverified(2)), night(verified)])
    #expect(
      outcomes.map(\.codes) == [["record.duplicate 0.2 0.1"], ["replay.cross_key 0.1 1.3"]])
    #expect(outcomes[1].closed.isEmpty)
  }

  @Test func `an event that leaves takes nothing from those that came before it`() throws {
    func unverified(_ key: UInt8, _ time: Int64, _ source: UInt32) -> ReplaySample {
      var event = ReplaySample(key: key, time: time, source: source, line: 1)
      event.isBehind = true
      return event
    }
    let original = ReplaySample(key: 1, time: 1, line: 1)
    var left = unverified(3, 9, 2)
    left.isBehind = false
    left.isWaited = true
    left.isLookedAt = false
    let memory = MemoryHistory(windowDays: 30)
    let outcomes = try ReplayNights().run(
      [night(original), night(unverified(2, 5, 1)), night(unverified(3, 9, 2)), night(left)],
      memory,
      dates: ["2026-10-01", "2026-10-20", "2026-10-30", "2026-11-02"])
    let standing = outcomes.flatMap { outcome in
      outcome.findings.map(\.standing) + outcome.closed.map { "-\($0.code.name)" }
    }
    // Only what was said of the one that left is closed.
    #expect(
      standing == ["replay.cross_key 1.1", "replay.cross_key 2.1", "-replay.cross_key"])
    #expect(memory.state.findings.values.filter { !$0.isClosed }.count == 1)
  }

  @Test func `a repeated counter speaks for the rejection once no other key used the hash`() throws
  {
    let other = ReplaySample(key: 2, time: 1, line: 1)
    var rejected = ReplaySample(time: 5, line: 2)
    rejected.decision = .rejected
    rejected.isRepeated = true
    var left = other
    left.isWaited = true
    left.isLookedAt = false
    #expect(try standing([night(other, rejected), night(left)]) == ["counter.repeated 0.2"])
    rejected.isRepeated = false
    #expect(
      try standing([night(other, rejected), night(left)]) == ["decision.rejected_valid 0.2"])
  }

  @Test func `an attestation is a second one once the replayed first of its hash left`() throws {
    var first = ReplaySample(kind: .attestation, time: 1, line: 1)
    first.isValidAttestation = true
    var second = ReplaySample(kind: .attestation, identity: 2, time: 5, line: 2)
    second.isValidAttestation = true
    second.mayBeReattested = true
    var (left, settled) = (first, second)
    (left.isWaited, left.isUnchanged, left.isLookedAt) = (true, true, false)
    (settled.isWaited, settled.isUnchanged) = (true, true)
    let outcomes = try ReplayNights().run([night(first, second), night(left, settled)])
    #expect(outcomes.map(\.codes) == [["replay.client_data_hash 0.2 0.1"], ["key.reattested 0.2"]])
    #expect(outcomes[1].closed.map(\.code) == [.replayClientDataHash])
  }

  @Test func `a hash that is not 32 bytes closes nothing of others`() throws {
    func sample(_ event: ReplaySample) -> ReplaySample {
      var event = event
      event.hash = [UInt8](repeating: 4, count: 20)
      return event
    }
    var before = ReplaySample(identity: 3, time: 5, line: 3)
    before.isBehind = true
    var after = ReplaySample(identity: 3, time: 5, line: 3)
    after.isWaited = true
    after.isLookedAt = false
    let nights = [
      night(
        sample(ReplaySample(time: 1, line: 1)), sample(ReplaySample(time: 5, line: 2)),
        sample(before)),
      night(sample(after)),
    ]
    #expect(try standing(nights).contains("replay.assertion 0.2"))
  }
}
