import AppAttest
import Basics
import Files
import RowShuffle
import TestSupport
import Testing

@testable import AuditEngine
@testable import AuditLog

/// The replay audit with events of earlier runs, case by case.
@Suite struct `Replay audit with a history` {
  private let audit = ReplayNights()

  private func night(_ events: ReplaySample...) -> ReplayNight { ReplayNight(events: events) }

  /// Returns an assertion that could not be verified, and the same one once it was.
  private func waiting(
    key: UInt8 = 1, identity: UInt8 = 1, time: Int64 = 1, line: UInt64,
    decision: Decision = .unknown
  ) -> (before: ReplaySample, after: ReplaySample) {
    var before = ReplaySample(key: key, identity: identity, time: time, line: line)
    before.decision = decision
    var after = before
    before.isBehind = true
    after.isWaited = true
    return (before, after)
  }

  @Test func `an event that waited has no second verdict`() throws {
    let (before, after) = waiting(line: 1, decision: .rejected)
    let outcomes = try audit.run([
      night(before), night(after, ReplaySample(time: 9, source: 1, line: 2)),
    ])
    #expect(outcomes[0].verdicts.map(\.position.line) == [1])
    #expect(outcomes[1].verdicts.map(\.position.line) == [2])
    // Only now is it known that nothing was wrong with it.
    #expect(outcomes[0].codes == [])
    #expect(
      outcomes[1].codes == ["decision.rejected_valid 0.1", "replay.retry 1.2 0.1"])
  }

  private func challenging(ttl: Int64?) -> ReplayNights {
    var audit = ReplayNights()
    audit.detection.challengesRequired = true
    audit.detection.challengeTTL = ttl
    audit.detection.reorderTolerance = 10
    return audit
  }

  @Test func `a window that is over has forgotten`() throws {
    func codes(_ date: String) throws -> [String] {
      let memory = MemoryHistory(windowDays: 30)
      _ = try audit.run(night(ReplaySample(line: 1)), memory.beginRun(date: "2026-10-31"))
      memory.commit()
      let again = night(ReplaySample(time: 9, source: 1, line: 2))
      return try audit.run(again, memory.beginRun(date: date)).codes
    }
    #expect(try codes("2026-11-30") == ["replay.assertion 1.2 0.1"])
    #expect(try codes("2026-12-01") == [])
  }

  @Test func `a reference run knows what was and leaves nothing`() throws {
    let memory = MemoryHistory()
    _ = try audit.run([night(ReplaySample(line: 1))], memory)
    let before = memory.state
    let again = ReplayNight(
      events: [ReplaySample(time: 9, source: 1, line: 2)],
      challenges: [ChallengeSample(source: 1, line: 3)])
    for _ in 0..<2 {
      let history = memory.beginRun(mode: .reference)
      #expect(try audit.run(again, history).codes == ["replay.assertion 1.2 0.1"])
      memory.commit()
    }
    #expect(memory.state.records == before.records && memory.state.sources == before.sources)
  }

  @Test func `what is remembered of an input that is read again is ignored`() throws {
    let memory = MemoryHistory()
    let challenge = ChallengeSample(time: 1, source: 1, line: 9)
    _ = try challenging(ttl: nil).run(
      [
        night(ReplaySample(line: 1)),
        ReplayNight(
          events: [ReplaySample(time: 5, source: 1, line: 2)], challenges: [challenge]),
      ], memory)
    func codes(_ ignored: Set<UInt32>) throws -> [String] {
      var history = memory.beginRun(mode: .reference)
      for source in ignored {
        history.rereads.add(.init(source: source, line: 1, index: .max, here: 1, count: .max))
      }
      return try challenging(ttl: nil).run(
        night(ReplaySample(time: 5, source: 2, line: 2)), history
      ).codes
    }
    #expect(try codes([]) == ["replay.assertion 2.2 0.1"])
    #expect(
      try codes([0]) == ["replay.assertion 2.2 1.2"])
    #expect(try codes([1]) == ["challenge.not_issued 2.2", "replay.assertion 2.2 0.1"])
    #expect(try codes([0, 1, 77]) == ["challenge.not_issued 2.2"])
  }

  /// Gives back what it was told to, whatever is asked for.
  private struct DamagedMemory: HashMemory {
    let record: [UInt8]

    func forEach(
      _ group: UnsafeRawBufferPointer,
      _ body: (UnsafeRawBufferPointer) throws(AuditError) -> Void
    ) throws(AuditError) {
      try unsafe record.span.withUnsafeBytes { (bytes) throws(AuditError) in
        unsafe try body(bytes)
      }
    }

    func forEachFront(_ body: (UnsafeRawBufferPointer) -> Void) throws(AuditError) {}
    func remember(_ record: UnsafeRawBufferPointer) throws(AuditError) {}
    func awaitChallenges(from time: Int64) {}
    func forEachUnsettled(
      checksChallenges: Bool, _ body: (Digest256, _ length: UInt8) throws(AuditError) -> Void
    ) throws(AuditError) {}
  }

  @Test func `damaged records end the run`() throws {
    let good = KeptRecord(
      hash: try #require(Digest256([UInt8](repeating: 7, count: 32))), kind: .assertion, time: 1,
      position: Position(source: 4, line: 1), owner: digest(1),
      identity: digest128([UInt8](repeating: 1, count: 16)))
    func run(_ bytes: [UInt8]) throws -> [String] {
      var history = MemoryHistory().beginRun()
      history.firstSource = 5
      history.hashes = DamagedMemory(record: bytes)
      return try audit.run(night(ReplaySample(time: 9, source: 5, line: 2)), history).codes
    }
    let bytes = good.packed
    #expect(try run(bytes) == ["replay.assertion 5.2 4.1"])
    var future = good
    future.position.source = 5
    var other = good
    other.hash = digest(1)
    var longer = good
    longer.hashLength = 33
    var damaged = [future, other, longer].map(\.packed)
    damaged.append([])
    damaged.append(Array(bytes.dropLast()))
    damaged.append(bytes + [0])
    var kind = bytes
    kind[33] = 9
    damaged.append(kind)
    for bytes in damaged {
      let error = #expect(throws: AuditError.self) { try run(bytes) }
      #expect(error?.code == .inconsistent)
    }
  }
}
