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

  /// An attestation, or an assertion with a finding about its counter, is judged again without the event before it.
  @Test(
    arguments: [
      (2, nil, ["decision.rejected_valid 0.2"]),
      (2, .counterRepeated, ["counter.repeated 0.2"]),
      (2, .counterReordered, ["counter.reordered 0.2", "decision.rejected_valid 0.2"]),
      // The counter of an exact replay was not judged: nobody knows that it was right.
      (1, .counterRepeated, []),
      (1, nil, ["decision.rejected_valid 0.2"]),
    ] as [(UInt8, FindingCode?, [String])])
  func `what speaks for a rejection is known once the hash is nobody else's (detection.R25)`(
    _ key: UInt8, _ counterCode: FindingCode?, _ expected: [String]
  ) throws {
    let other = ReplaySample(key: key, time: 1, line: 1)
    var rejected = ReplaySample(time: 5, line: 2)
    rejected.decision = .rejected
    rejected.counterCode = counterCode
    var left = other
    left.isWaited = true
    left.isLookedAt = false
    #expect(try standing([night(other, rejected), night(left)]) == expected)
  }

  /// Requests `a`, on the first night, and `b`, and a copy of it in another log: the same assertion, of other subjects.
  @Test(
    arguments: [
      (.rejected, nil, false), (.accepted, nil, true), (.rejected, 3, true), (.rejected, 9, true),
    ] as [(Decision, Int64?, Bool)])
  func `the counter of an assertion is judged once, for all that are the same (detection.R13, R52)`(
    _ first: Decision, _ copied: Int64?, _ isAccepted: Bool
  ) throws {
    func request(
      _ name: String, _ time: Int64, _ source: UInt32, _ decision: Decision
    ) -> ReplaySample {
      ReplaySample(
        time: time, source: source, line: 1, requestID: name, subject: name, decision: decision)
    }
    var judged = request("a", 5, 0, .rejected)
    judged.counterCode = .counterRegression
    var late = night(request("b", 1, 1, first))
    if let copied { late.events.append(request("b", copied, 2, .accepted)) }
    let findings = try ReplayNights().run([night(judged), late]).flatMap(\.findings)
    #expect(
      findings.filter { $0.code == .counterRegression }.map { "\($0.standing) \($0.severity)" }
        == ["counter.regression 0.1 low"] + (isAccepted ? ["counter.regression 0.1 critical"] : []))
  }

  @Test func `a further attestation is one once the first leaves (detection.R25)`() throws {
    var first = ReplaySample(kind: .attestation, time: 1, line: 1)
    first.isValidAttestation = true
    var again = first
    (again.time, again.line, again.mayBeReattested) = (5, 2, true)
    var (left, kept) = (first, again)
    (left.isWaited, left.isLookedAt) = (true, false)
    (kept.isWaited, kept.isUnchanged) = (true, true)
    #expect(try standing([night(first, again), night(left, kept)]) == ["key.reattested 0.2"])
    // That speaks for a rejection, too.
    again.decision = .rejected
    #expect(try standing([night(first, again), night(left)]) == [])
  }
}
