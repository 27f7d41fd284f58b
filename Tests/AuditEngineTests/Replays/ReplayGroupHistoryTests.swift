import AuditLog
import TestSupport
import Testing

@testable import AuditEngine

/// Groups in which earlier runs have a part.
extension `Replay group` {
  @Test func `what an earlier run judged takes its place by time`() throws {
    var old = ReplaySample(time: 100, line: 1)
    old.isRemembered = true
    #expect(try codes([old]) == [])
    #expect(
      try codes([old, ReplaySample(time: 500, source: 1, line: 2)]) == ["replay.assertion 1"])
    #expect(try codes([old, ReplaySample(time: 5, source: 1, line: 2)]) == ["-"])
    #expect(
      try codes([ReplaySample(key: 2, time: 500, source: 1, line: 2), old]) == [
        "replay.cross_key 1"
      ])
    #expect(
      try codes([
        old, ReplaySample(identity: 2, time: 500, source: 1, line: 2),
        ReplaySample(identity: 2, time: 600, source: 1, line: 3),
      ]) == ["replay.client_data_hash 1", "replay.assertion 2"])
  }

  @Test func `both judges see what the other does not`() throws {
    var old = ReplaySample(time: 100, line: 1)
    old.isRemembered = true
    var replayed = ReplaySample(time: 200, line: 2)
    replayed.isRemembered = true
    let late = ReplaySample(time: 5, source: 1, line: 3)
    let compared = try compare([old, replayed, late])
    #expect(compared[1] == ["-", "replay.assertion 3"])
    #expect(compared[2] == ["replay.assertion 1", "replay.assertion 3"])
    #expect(compared[3] == ["-", "-"])
    // No new event comes before the earlier ones, so these are not compared.
    #expect(try compare([old, replayed, ReplaySample(time: 900, source: 1, line: 3)]).count == 1)
  }

  @Test func `what an earlier run found of a refused request is examined again with its copy`()
    throws
  {
    var honest = ReplaySample(time: 1, line: 1, decision: .accepted)
    honest.isRemembered = true
    var refused = ReplaySample(identity: 2, time: 100, line: 2, decision: .rejected)
    refused.isRemembered = true
    func again(_ decision: Decision) -> ReplaySample {
      ReplaySample(identity: 2, time: 200, source: 1, line: 3, decision: decision)
    }
    let found = "replay.client_data_hash 1"
    let compared = try compare([honest, refused, again(.accepted)])
    #expect(compared[2] == [found, found + ", accepted"])
    #expect(compared[3] == ["-", "replay.retry 2"])
    // Nothing of earlier runs changes where it was refused again, or was accepted before.
    #expect(try compare([honest, refused, again(.rejected)]).count == 1)
    refused.decision = .accepted
    #expect(try compare([honest, refused, again(.accepted)]).count == 1)
  }

  @Test func `a request logged on two nights is a duplicate, whatever lies between`() throws {
    var old = ReplaySample(time: 5, line: 1, requestID: String(repeating: "r", count: 600))
    old.isRemembered = true
    var later = ReplaySample(time: 7, line: 2, requestID: "s")
    later.isRemembered = true
    var again = old
    again.isRemembered = false
    again.source = 1
    again.line = 3
    #expect(try codes([old, later, again]) == ["record.duplicate 1"])
    again.requestID?.removeLast()
    #expect(try codes([old, later, again]) == ["replay.assertion 1"])
    again.requestID = "s"
    #expect(try codes([old, later, again]) == ["replay.assertion 1"])
    again.time = 7
    #expect(try codes([old, later, again]) == ["record.duplicate 2"])
    again.requestID = nil
    #expect(try codes([old, later, again]) == ["replay.assertion 1"])
  }

  @Test func `an empty request identifier is one, also when it is remembered`() throws {
    var old = ReplaySample(time: 5, line: 1, requestID: "")
    old.isRemembered = true
    let again = ReplaySample(time: 5, source: 1, line: 2, requestID: "")
    #expect(try codes([old, again]) == ["record.duplicate 1"])
    old.requestID = nil
    #expect(try codes([old, again]) == ["replay.assertion 1"])
  }

  @Test func `what an earlier run could not verify stands behind what this one could`() throws {
    var old = ReplaySample(key: 1, time: 1, line: 1, isBehind: true)
    old.isRemembered = true
    let honest = ReplaySample(key: 2, time: 9, source: 1, line: 2)
    let forged = ReplaySample(key: 3, time: 8, source: 1, line: 3, isBehind: true)
    #expect(try codes([old, honest]) == ["-"])
    #expect(try compare([old, honest])[1] == ["-", "replay.cross_key 2"])
    #expect(try codes([old, honest, forged]) == ["-", "replay.cross_key 2"])
    #expect(try codes([old, forged]) == ["replay.cross_key 1"])
  }

  @Test func `an event that waited is judged in place of what is remembered of it`() throws {
    var old = ReplaySample(time: 1, line: 1, requestID: "r", isBehind: true)
    old.isRemembered = true
    var waited = ReplaySample(time: 1, line: 1, requestID: "r")
    waited.isWaited = true
    #expect(try codes([old, waited]) == ["-"])
    #expect(
      try codes([old, waited, ReplaySample(time: 2, source: 1, line: 2)])
        == ["-", "replay.assertion 1"])
    // Once it is remembered as verified, what it was before does not count.
    var verified = waited
    verified.isWaited = false
    verified.isRemembered = true
    let later = ReplaySample(key: 2, time: 3, source: 2, line: 3)
    #expect(try codes([old, verified, later]) == ["replay.cross_key 1"])
    #expect(try codes([old, verified, later], policy(.key)) == ["-"])
  }

  @Test func `of what is remembered of one event the last says what it was`() throws {
    var verified = ReplaySample(time: 5, line: 1)
    verified.isRemembered = true
    var behind = verified
    behind.isBehind = true
    var other = ReplaySample(time: 9, line: 2)
    other.isRemembered = true
    // An earlier event of this run has all of them examined again.
    let early = ReplaySample(key: 2, time: 1, source: 1, line: 3)
    let said = try compare([verified, behind, other, early])
    #expect(said[1]?.first == "replay.assertion 2" && said[2]?.first == "-", "\(said)")
    let turned = try compare([behind, verified, other, early])
    #expect(turned[1]?.first == "-" && turned[2]?.first == "replay.assertion 1", "\(turned)")
  }

  @Test func `an event whose signature turns out not to hold no longer counts`() throws {
    var old = ReplaySample(time: 1, line: 1, isBehind: true)
    old.isRemembered = true
    var waited = ReplaySample(time: 1, line: 1)
    waited.isWaited = true
    waited.isLookedAt = false
    let other = ReplaySample(key: 2, time: 3, source: 1, line: 2, isBehind: true)
    #expect(try codes([old, other]) == ["replay.cross_key 1"])
    #expect(try codes([old, waited, other]) == ["-"])
    #expect(try codes([old, waited]) == [])
    // Nor on the nights after.
    waited.isRemembered = true
    #expect(try codes([old, waited, other]) == ["-"])
  }

  @Test func `an attestation of an earlier run is remembered`() throws {
    var old = ReplaySample(kind: .attestation, time: 1, line: 1, isValidAttestation: true)
    old.isRemembered = true
    let again = ReplaySample(
      kind: .attestation, time: 2, source: 1, line: 2, isValidAttestation: true)
    #expect(try judge([old, again]).map(\.isAttestedBefore) == [true])
    old.isValidAttestation = false
    #expect(try judge([old, again]).map(\.isAttestedBefore) == [false])
  }

  @Test(arguments: 0..<60)
  func `small groups with earlier runs are judged as the reference judges them`(
    _ seed: UInt64
  ) throws {
    var random = Generator(seed &+ 1000)
    let events = self.random(
      2 + random.below(60), seed, keys: 1 + random.below(5), identities: 1 + random.below(6)
    ).remembering(one: 1 + random.below(4), &random)
    for scope in ReplayScope.allCases {
      let policy = policy(scope, retry: Int64([0, 0, 1, 7][random.below(4)]))
      #expect(
        try judge(events, policy) == replayReference(events, policy).sorted { $0.line < $1.line })
    }
  }

  @Test(arguments: ReplayScope.allCases)
  func `a group beyond memory with earlier runs is judged as in memory`(
    _ scope: ReplayScope
  ) throws {
    var random = Generator(5)
    let events = self.random(3000, 78, keys: 4, identities: 5).remembering(one: 3, &random)
    let policy = policy(scope, retry: 3)
    let small = try judge(events, policy, appID: "")
    let long = String(repeating: "x", count: TextStore.inlineBytes)
    let spilled = try judge(events, policy, appID: long)
    #expect(spilled == small && !small.isEmpty && small.count < events.count)
    #expect(small == replayReference(events, policy).sorted { $0.line < $1.line })
    let compared = try compare(events, appID: long)
    #expect(try compared == compare(events))
    #expect(compared.values.contains { $0[0] != $0[1] && $0[0] != "-" })
  }
}

extension [ReplaySample] {
  /// Returns the same events, of which an earlier run judged one in so many. Some of these have a
  /// second row, from before they were verified, and some of the others waited until now.
  fileprivate func remembering(one share: Int, _ random: inout Generator) -> [ReplaySample] {
    var result: [ReplaySample] = []
    for event in self {
      var event = event
      if random.below(share) == 0 { event.isRemembered = true } else { event.source = 1 }
      if !event.isBehind, random.below(3) == 0 {
        var before = event
        before.isBehind = true
        before.isRemembered = true
        before.isOfDevice = event.kind == .assertion
        event.isWaited = !event.isRemembered
        event.wasOfDevice = before.isOfDevice
        result.append(before)
      }
      result.append(event)
    }
    return result
  }
}
