import AppAttest
import AuditLog
import Files
import Foundation
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Replay group` {
  private let shuffles = Shuffles()

  private func add(
    _ events: [ReplaySample], to group: ReplayGroup, appID: String
  ) throws {
    for (index, event) in events.enumerated() {
      try withRow(event.row(shuffles.texts, appID: appID, UInt32(index))) {
        unsafe try group.add($0, event.codes)
      }
    }
  }

  private func settle(_ group: ReplayGroup) throws -> [ReplaySaid] {
    var said: [ReplaySaid] = []
    try group.settle { (event, _) throws(AuditError) in
      // Those of earlier runs are compared; what leaves is not judged.
      if event.isRemembered || !event.isLookedAt { return }
      said.append(
        ReplaySaid(
          line: event.row.position.line, code: event.note.finding?.code,
          related: event.note.finding?.related.position.line,
          isIdentical: event.note.finding?.isIdentical == true,
          isAttestedBefore: event.note.isAttestedBefore,
          copies: event.note.copies, codes: event.codes))
    }
    return said.sorted { $0.line < $1.line }
  }

  private func judge(
    _ events: [ReplaySample], _ policy: DetectionPolicy, appID: String = "app"
  ) throws -> [ReplaySaid] {
    let group = ReplayGroup(policy: policy, shuffles: shuffles)
    try add(events, to: group, appID: appID)
    let said = try settle(group)
    #expect(try settle(group).isEmpty, "a settled group is empty")
    return said
  }

  /// Returns the findings of each event that is compared, by line: the one before, and the one now.
  private func compare(
    _ events: [ReplaySample], _ policy: DetectionPolicy, appID: String = "app"
  ) throws -> [UInt64: [String]] {
    let group = ReplayGroup(policy: policy, shuffles: shuffles)
    try add(events, to: group, appID: appID)
    func text(_ note: ReplayNote) -> String {
      self.text(note.finding?.code, note.finding?.related.position.line, note.copies)
    }
    var said: [UInt64: [String]] = [:]
    try group.settle { (event, was) throws(AuditError) in
      said[event.row.position.line] = [text(was), text(event.note)]
    }
    return said
  }

  private func text(_ code: FindingCode?, _ related: UInt64?, _ copies: Decision) -> String {
    let finding = code.map { "\($0.name) \(related ?? 0)" } ?? "-"
    return copies == .accepted ? finding + ", accepted" : finding
  }

  private func policy(_ scope: ReplayScope, _ random: inout Generator) -> DetectionPolicy {
    var policy = DetectionPolicy()
    policy.replayScope = scope
    policy.retryTolerance = [0, 0, 1, 7][random.below(4)]
    policy.rejectedRetry = [600_000, 0, 5, 15][random.below(4)]
    policy.identicalRecords = random.below(3) == 0 ? .duplicate : .replay
    return policy
  }

  private func random(_ count: Int, _ random: inout Generator, keys: Int, identities: Int)
    -> [ReplaySample]
  {
    let long = String(repeating: "r", count: 5000)
    return (0..<count).map { index in
      var event = ReplaySample(line: UInt64(index) + 1)
      event.kind = random.below(3) == 0 ? .attestation : .assertion
      event.key = UInt8(random.below(keys))
      event.identity = UInt8(random.below(identities))
      event.time = Int64(random.below(count / 2 + 2)) - 3
      event.source = UInt32(random.below(2))
      event.requestID = [nil, nil, "", "a", "b", long, long + "r"][random.below(7)]
      event.route = [nil, nil, "/a", "/b", "https://host/A/?x"][random.below(5)]
      event.recordDigest = UInt64(random.below(2))
      event.decision = [.unknown, .accepted, .rejected, .rejected, .rejected][random.below(5)]
      event.subject = [nil, nil, "s", "s", "t"][random.below(5)]
      event.codes = CodeSet(bits: random.next() & 0xFFFF)
      // Whether a key's assertions can be verified is one question for all of them.
      event.isBehind =
        event.kind == .assertion
        ? event.key % 3 == 2 : (event.time &+ Int64(event.identity)) % 4 == 0
      event.isValidAttestation = event.kind == .attestation && !event.isBehind
      event.isOfDevice = event.kind == .assertion && event.isBehind && random.below(2) == 0
      event.isLookedAt = random.below(20) > 0
      return event
    }.shuffled(using: &random)
  }

  @Test func `an event that a whole copy replaces is news for those that are remembered`() throws {
    var first = ReplaySample(time: 1, line: 1)
    first.isRemembered = true
    var second = ReplaySample(time: 5, line: 2)
    second.isRemembered = true
    #expect(try compare([first, second], DetectionPolicy()) == [:])
    first.isDamage = true
    #expect(
      try compare([first, second], DetectionPolicy())[2] == ["replay.assertion 1", "-"])
  }

  @Test(arguments: 0..<60)
  func `small groups are judged as the reference judges them`(_ seed: UInt64) throws {
    var random = Generator(seed)
    let (count, keys, identities) = (2 + random.below(60), 1 + random.below(5), 1 + random.below(6))
    let share = 1 + random.below(4)
    let all = self.random(count, &random, keys: keys, identities: identities)
    for events in [all, all.remembering(one: share, &random)] {
      for scope in ReplayScope.allCases {
        let policy = policy(scope, &random)
        #expect(try judge(events, policy) == replayReference(events, policy))
      }
    }
  }

  @Test(arguments: 0..<60)
  func `what is found of earlier runs' events is the difference of two references`(
    _ seed: UInt64
  ) throws {
    var random = Generator(seed &+ 1000)
    let (count, keys, identities) = (2 + random.below(12), 1 + random.below(3), 1 + random.below(3))
    let share = 1 + random.below(3)
    let events = self.random(count, &random, keys: keys, identities: identities)
      .remembering(one: share, &random)
    let scope = ReplayScope.allCases[random.below(3)]
    let policy = policy(scope, &random)
    func texts(_ events: [ReplaySample]) -> [UInt64: String] {
      Dictionary(
        uniqueKeysWithValues: replayReference(events, policy, ofAll: true).map {
          ($0.line, text($0.code, $0.related, $0.copies))
        })
    }
    let (before, now) = (texts(events.filter(\.isRemembered)), texts(events))
    let compared = try compare(events, policy)
    for event in events {
      let was = before[event.line] ?? "-"
      let expected = [was, now[event.line] ?? "-"]
      #expect(compared[event.line] ?? [was, was] == expected, "\(event)")
    }
  }

  @Test(arguments: ReplayScope.allCases)
  func `a group beyond memory is judged as in memory`(_ scope: ReplayScope) throws {
    var random = Generator(5)
    let events = self.random(2400, &random, keys: 4, identities: 5).remembering(one: 3, &random)
    let policy = policy(scope, &random)
    let small = try judge(events, policy, appID: "")
    let long = String(repeating: "x", count: TextStore.inlineBytes)
    #expect(try judge(events, policy, appID: long) == small)
    #expect(!small.isEmpty && small.count < events.count)
    let compared = try compare(events, policy, appID: long)
    #expect(try compared == compare(events, policy, appID: ""))
    #expect(compared.values.contains { $0[0] != $0[1] && $0[0] != "-" })
  }

  @Test(arguments: [(0, true), (1, false)])
  func `two logs of a request are as far apart as the tolerance at most (detection.R37)`(
    _ delay: Int64, _ isTwin: Bool
  ) throws {
    let events = [
      ReplaySample(time: 5, line: 1, requestID: "r"),
      ReplaySample(time: 30_005 + delay, source: 1, line: 2, requestID: "r"),
    ]
    let said = try judge(events, DetectionPolicy())
    #expect(said[1].code == (isTwin ? .recordDuplicate : .replayAssertion))
  }

  @Test(arguments: [false, true])
  func `a use under another key names that key, but no device`(_ isOfDevice: Bool) throws {
    let group = ReplayGroup(policy: DetectionPolicy(), shuffles: shuffles)
    let events = [ReplaySample(line: 1, isOfDevice: isOfDevice), ReplaySample(key: 2, line: 2)]
    try add(events, to: group, appID: "app")
    var findings: [ReplayFinding] = []
    try group.settle { (event, _) throws(AuditError) in
      if let finding = event.note.finding { findings.append(finding) }
    }
    #expect(findings.map(\.code) == [.replayCrossKey])
    #expect(findings.first?.otherKey == (isOfDevice ? nil : digest(1)))
  }

  @Test func `a temporary folder that is gone is an error, not a wrong answer`() throws {
    let shuffles = Shuffles(folder: "/nowhere/at/all")
    let group = ReplayGroup(policy: DetectionPolicy(), shuffles: shuffles)
    let long = String(repeating: "x", count: TextStore.inlineBytes)
    let row = try ReplaySample(line: 1).row(shuffles.texts, appID: long)
    let error = #expect(throws: AuditError.self) {
      // Twice the group's memory and that of its sorter.
      for _ in 0..<(8 << 20) / row.count {
        try withRow(row) { unsafe try group.add($0, CodeSet()) }
      }
      try group.settle { (_, _) throws(AuditError) in }
    }
    #expect(error?.code == .temporaryStorage(ENOENT))
  }
}

extension [ReplaySample] {
  /// Returns the same events, of which an earlier run judged one in so many. Some of these have a
  /// second row, from before they were verified, and some of the others waited until now.
  fileprivate func remembering(one share: Int, _ random: inout Generator) -> [ReplaySample] {
    var result: [ReplaySample] = []
    for event in self {
      var event = event
      if random.below(share) == 0 { event.isRemembered = true } else { event.source += 2 }
      if !event.isBehind, random.below(3) == 0 {
        var before = event
        before.isBehind = true
        before.isLookedAt = true
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
