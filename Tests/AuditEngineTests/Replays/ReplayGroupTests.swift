import AppAttest
import AuditLog
import Files
import Foundation
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Replay group` {
  private let scratch: Scratch
  private let shuffles: Shuffles

  init() throws {
    scratch = try Scratch()
    shuffles = Shuffles(folder: scratch.path)
  }

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
          related: event.note.finding?.related.line,
          isAttestedBefore: event.note.isAttestedBefore,
          copies: event.note.copies, codes: event.codes))
    }
    return said.sorted { $0.line < $1.line }
  }

  func judge(
    _ events: [ReplaySample], _ policy: DetectionPolicy = DetectionPolicy(), appID: String = "app"
  ) throws -> [ReplaySaid] {
    let group = ReplayGroup(policy: policy, shuffles: shuffles)
    try add(events, to: group, appID: appID)
    let said = try settle(group)
    #expect(try settle(group).isEmpty, "a settled group is empty")
    return said
  }

  /// Returns the findings of each event that is compared, by line: the one before, and the one now.
  func compare(
    _ events: [ReplaySample], appID: String = "app"
  ) throws -> [UInt64: [String]] {
    let group = ReplayGroup(policy: DetectionPolicy(), shuffles: shuffles)
    try add(events, to: group, appID: appID)
    func text(_ note: ReplayNote) -> String {
      let finding = note.finding.map { "\($0.code.name) \($0.related.line)" } ?? "-"
      return note.copies == .accepted ? finding + ", accepted" : finding
    }
    var said: [UInt64: [String]] = [:]
    try group.settle { (event, was) throws(AuditError) in
      said[event.row.position.line] = [text(was), text(event.note)]
    }
    return said
  }

  func policy(_ scope: ReplayScope, retry: Int64 = 0) -> DetectionPolicy {
    var policy = DetectionPolicy()
    policy.replayScope = scope
    policy.retryTolerance = retry
    return policy
  }

  /// Returns the codes in the order of the lines, each with the line that it names.
  func codes(
    _ events: [ReplaySample], _ policy: DetectionPolicy = DetectionPolicy()
  ) throws -> [String] {
    try judge(events, policy).sorted { $0.line < $1.line }.map { said in
      said.code.map { "\($0.name) \(said.related ?? 0)" } ?? "-"
    }
  }

  // MARK: The table, row by row

  @Test func `one event alone is no replay`() throws {
    for scope in ReplayScope.allCases {
      #expect(try codes([ReplaySample(line: 1)], policy(scope)) == ["-"])
      #expect(try codes([], policy(scope)) == [])
    }
  }

  @Test
  func `the same request logged twice needs the same identifier, and does not contradict itself`()
    throws
  {
    // detection.R37.
    var first = ReplaySample(time: 5, line: 1, requestID: "r", route: "/a")
    first.subject = "u"
    var cases: [(ReplaySample, String)] = []
    for (subject, route, isOne) in [
      ("u", "/a", true), (nil, "/a", true), ("u", nil, true), ("v", "/a", false),
      ("u", "/b", false), (nil, nil, true), (nil, "/b", false),
    ] as [(String?, String?, Bool)] {
      for (time, source, isNear) in [
        (5, 0, true), (6, 0, false), (5, 1, true), (6, 1, true), (30_005, 1, true),
        (30_006, 1, false),
      ] as [(Int64, UInt32, Bool)] {
        var second = ReplaySample(time: time, source: source, line: 2, requestID: "r", route: route)
        second.subject = subject
        cases.append((second, isOne && isNear ? "record.duplicate 1" : "replay.assertion 1"))
      }
    }
    cases.append((ReplaySample(time: 5, line: 2, requestID: "r"), "record.duplicate 1"))
    cases.append((ReplaySample(time: 6, line: 2, requestID: "r"), "replay.assertion 1"))
    cases.append((ReplaySample(time: 5, line: 2, requestID: "q"), "replay.assertion 1"))
    cases.append((ReplaySample(time: 5, line: 2, requestID: ""), "replay.assertion 1"))
    cases.append((ReplaySample(time: 5, line: 2), "replay.assertion 1"))
    // Another assertion with the same identifier and time is no duplicate.
    cases.append(
      (ReplaySample(identity: 2, time: 5, line: 2, requestID: "r"), "replay.client_data_hash 1"))
    cases.append((ReplaySample(key: 2, time: 5, line: 2, requestID: "r"), "replay.cross_key 1"))
    for (second, expected) in cases { #expect(try codes([first, second]) == ["-", expected]) }
    // Without an identifier nothing tells that it was one request.
    #expect(
      try codes([ReplaySample(time: 5, line: 1), ReplaySample(time: 5, line: 2)])
        == ["-", "replay.assertion 1"])
  }

  @Test func `a duplicate names the same request, a replay the earliest`() throws {
    let events = [
      ReplaySample(time: 1, line: 1, requestID: "a"),
      ReplaySample(time: 5, line: 2, requestID: "b"),
      ReplaySample(time: 5, line: 3, requestID: "a"),
      ReplaySample(time: 5, line: 4, requestID: "b"),
      ReplaySample(time: 5, line: 5, requestID: "a"),
      ReplaySample(time: 5, line: 6, requestID: "c"),
    ]
    #expect(
      try codes(events) == [
        "-", "replay.assertion 1", "replay.assertion 1", "record.duplicate 2", "record.duplicate 3",
        "replay.assertion 1",
      ])
  }

  @Test func `identical records are a replay that says so, or one request if that is set`() throws {
    // detection.R64, R65.
    func sample(_ time: Int64, _ line: UInt64, _ digest: UInt64, _ id: String? = nil)
      -> ReplaySample
    {
      ReplaySample(time: time, line: line, requestID: id, recordDigest: digest)
    }
    let events = [
      sample(5, 1, 9), sample(5, 2, 9), sample(5, 3, 8), sample(6, 4, 9), sample(5, 5, 8),
    ]
    #expect(try codes(events) == ["-"] + [String](repeating: "replay.assertion 1", count: 4))
    let group = ReplayGroup(policy: policy(.global), shuffles: shuffles)
    try add(events, to: group, appID: "app")
    var identical: [UInt64] = []
    try group.settle { (event, _) throws(AuditError) in
      if event.note.finding?.isIdentical == true { identical.append(event.row.position.line) }
    }
    #expect(identical == [2])
    var merging = policy(.exact)
    merging.identicalRecords = .duplicate
    #expect(
      try codes(events, merging) == [
        "-", "record.duplicate 1", "replay.assertion 1", "replay.assertion 1", "record.duplicate 3",
      ])
    // With an identifier it says whether it is one request.
    let named = [sample(5, 1, 9, "r"), sample(5, 2, 9, "s")]
    #expect(try codes(named, merging) == ["-", "replay.assertion 1"])
  }

  @Test func `with the exact scope attestations are judged by their challenge all the same`() throws
  {
    // detection.R43.
    func events(_ kind: RecordKind) -> [ReplaySample] {
      [
        ReplaySample(kind: kind, line: 1), ReplaySample(kind: kind, identity: 2, time: 1, line: 2),
        ReplaySample(kind: kind, key: 2, time: 2, line: 3),
      ]
    }
    #expect(try codes(events(.assertion), policy(.exact)) == ["-", "-", "-"])
    #expect(
      try codes(events(.attestation), policy(.exact))
        == ["-", "replay.client_data_hash 1", "replay.cross_key 1"])
  }

  @Test func `long request identifiers are told apart to their last byte`() throws {
    let long = String(repeating: "r", count: 5000)
    let events = [
      ReplaySample(line: 1, requestID: long), ReplaySample(line: 2, requestID: long),
      ReplaySample(line: 3, requestID: long + "s"),
    ]
    #expect(try codes(events) == ["-", "record.duplicate 1", "replay.assertion 1"])
  }

  @Test func `a retry needs every earlier one to be rejected`() throws {
    let events: [ReplaySample] = [
      ReplaySample(time: 1, line: 1, decision: .rejected),
      ReplaySample(time: 2, line: 2, decision: .rejected),
      ReplaySample(time: 3, line: 3, decision: .accepted),
      ReplaySample(time: 4, line: 4, decision: .rejected), ReplaySample(time: 5, line: 5),
    ]
    #expect(
      try codes(events) == [
        "-", "replay.retry 1", "replay.retry 1", "replay.assertion 1", "replay.assertion 1",
      ])
    #expect(
      try codes([ReplaySample(line: 1), ReplaySample(line: 2)]) == ["-", "replay.assertion 1"])
    // Another assertion's rejection excuses nothing.
    #expect(
      try codes([
        ReplaySample(identity: 2, time: 1, line: 1, decision: .rejected),
        ReplaySample(time: 2, line: 2), ReplaySample(time: 3, line: 3),
      ]) == ["-", "replay.client_data_hash 1", "replay.assertion 2"])
  }

  @Test(arguments: [(599_999, true), (600_000, true), (600_001, false), (1_199_999, false)])
  func `a retry of a rejected request comes within ten minutes of the earliest`(
    _ delay: Int64, _ isRetry: Bool
  ) throws {
    let events = [
      ReplaySample(time: 100, line: 1, decision: .rejected),
      ReplaySample(time: 100 + delay / 2, line: 2, decision: .rejected),
      ReplaySample(time: 100 + delay, line: 3, decision: .accepted),
    ]
    let last = isRetry ? "replay.retry 1" : "replay.assertion 1"
    #expect(try codes(events) == ["-", "replay.retry 1", last])
    var policy = policy(.global)
    policy.rejectedRetry = 0
    #expect(try codes(events, policy) == ["-", "replay.assertion 1", "replay.assertion 1"])
  }

  @Test func `a retry of a rejected request is of the same subject, where both have one`() throws {
    func retried(_ first: String?, _ second: String?) throws -> String {
      try codes([
        ReplaySample(time: 1, line: 1, subject: first, decision: .rejected),
        ReplaySample(time: 2, line: 2, subject: second, decision: .accepted),
      ])[1]
    }
    let long = String(repeating: "s", count: 5000)
    for subject in ["a", "", long, nil] {
      #expect(try retried(subject, subject) == "replay.retry 1")
      #expect(try retried(subject, nil) == "replay.retry 1")
      #expect(try retried(nil, subject) == "replay.retry 1")
    }
    #expect(try retried("a", "b") == "replay.assertion 1")
    #expect(try retried("a", "") == "replay.assertion 1")
    #expect(try retried(long, long + "s") == "replay.assertion 1")
    // The earliest subject counts, not the earliest request.
    for (last, expected) in [("b", "replay.assertion 1"), ("a", "replay.retry 1")] {
      let three = [
        ReplaySample(time: 1, line: 1, decision: .rejected),
        ReplaySample(time: 2, line: 2, subject: "a", decision: .rejected),
        ReplaySample(time: 3, line: 3, subject: last, decision: .accepted),
      ]
      #expect(try codes(three) == ["-", "replay.retry 1", expected])
    }
    // The setting for clients that send twice knows no subject.
    let twice = [
      ReplaySample(time: 1, line: 1, subject: "a", decision: .accepted),
      ReplaySample(time: 2, line: 2, subject: "b", decision: .accepted),
    ]
    #expect(try codes(twice, policy(.global, retry: 1)) == ["-", "replay.retry 1"])
  }

  @Test func `copies of a request have the most severe decision about them (detection.R52)`() throws
  {
    func copies(
      _ decisions: [Decision], later: Int64 = 5, requestIDs: [String?] = [nil, nil, nil]
    ) throws -> [Decision] {
      let events = decisions.enumerated().map { index, decision in
        ReplaySample(
          time: Int64(index) * later, line: UInt64(index) + 1, requestID: requestIDs[index],
          decision: decision)
      }
      return try judge(events).map(\.copies)
    }
    #expect(try copies([.rejected, .accepted]) == [.accepted, .rejected])
    #expect(try copies([.rejected, .rejected, .accepted]) == [.accepted, .rejected, .rejected])
    #expect(try copies([.rejected, .rejected]) == [.rejected, .rejected])
    #expect(try copies([.rejected, .unknown]) == [.unknown, .rejected])
    #expect(try copies([.rejected, .unknown, .accepted]) == [.unknown, .rejected, .rejected])
    // A replay is a finding of its own.
    #expect(try copies([.accepted, .accepted]) == [.rejected, .rejected])
    #expect(try copies([.rejected, .accepted], later: 600_001) == [.rejected, .rejected])
    // Two logs of one request, of which one does not have the same decision, or none.
    let twice: [String?] = ["r", "r"]
    #expect(
      try copies([.rejected, .accepted], later: 0, requestIDs: twice) == [.accepted, .rejected])
    #expect(
      try copies([.unknown, .accepted], later: 0, requestIDs: twice) == [.accepted, .rejected])
    #expect(
      try copies([.accepted, .rejected], later: 0, requestIDs: twice) == [.rejected, .rejected])
    let thrice: [String?] = ["q", "r", "r"]
    #expect(
      try copies([.rejected, .rejected, .accepted], later: 0, requestIDs: thrice)
        == [.accepted, .accepted, .rejected])
  }

  @Test(arguments: [(0, 1, false), (10, 9, true), (10, 10, true), (10, 11, false), (1, 0, true)])
  func `a retry within the tolerance of the earliest is one`(
    _ tolerance: Int64, _ delay: Int64, _ isRetry: Bool
  ) throws {
    let events = [
      ReplaySample(time: 100, line: 1, decision: .accepted),
      ReplaySample(time: 100 + delay, line: 2, decision: .accepted),
    ]
    #expect(
      try codes(events, policy(.global, retry: tolerance))
        == ["-", isRetry ? "replay.retry 1" : "replay.assertion 1"])
  }

  @Test func `the tolerance is that of the earliest, not of the one before`() throws {
    let events = (0..<4).map { ReplaySample(time: Int64($0) * 6, line: UInt64($0) + 1) }
    #expect(
      try codes(events, policy(.exact, retry: 10))
        == ["-", "replay.retry 1", "replay.assertion 1", "replay.assertion 1"])
  }

  @Test func `attestations and assertions are examined apart`() throws {
    let events: [ReplaySample] = [
      ReplaySample(kind: .attestation, line: 1), ReplaySample(kind: .assertion, time: 1, line: 2),
      ReplaySample(kind: .attestation, time: 2, line: 3),
      ReplaySample(kind: .assertion, time: 3, line: 4),
      ReplaySample(kind: .attestation, key: 2, time: 4, line: 5),
    ]
    #expect(
      try codes(events)
        == ["-", "-", "replay.attestation 1", "replay.assertion 2", "replay.cross_key 1"])
  }

  @Test func `scopes turn rows of the table off`() throws {
    let events: [ReplaySample] = [
      ReplaySample(key: 1, identity: 1, time: 1, line: 1),
      ReplaySample(key: 2, identity: 2, time: 2, line: 2),
      ReplaySample(key: 1, identity: 3, time: 3, line: 3),
      ReplaySample(key: 2, identity: 4, time: 4, line: 4),
      ReplaySample(key: 1, identity: 1, time: 5, line: 5),
      ReplaySample(key: 3, identity: 1, time: 6, line: 6),
    ]
    #expect(
      try codes(events, policy(.global)) == [
        "-", "replay.cross_key 1", "replay.cross_key 2", "replay.cross_key 1",
        "replay.assertion 1", "replay.cross_key 1",
      ])
    #expect(
      try codes(events, policy(.key)) == [
        "-", "-", "replay.client_data_hash 1", "replay.client_data_hash 2", "replay.assertion 1",
        "-",
      ])
    #expect(
      try codes(events, policy(.exact)) == ["-", "-", "-", "-", "replay.assertion 1", "-"])
  }

  @Test func `what could not be verified stands behind all that was`() throws {
    let events: [ReplaySample] = [
      ReplaySample(key: 2, time: 1, line: 1, isBehind: true),
      ReplaySample(key: 1, time: 9, line: 2),
      ReplaySample(key: 2, time: 0, line: 3, isBehind: true),
    ]
    // The honest event is the original, although forged ones are earlier.
    #expect(
      try codes(events, policy(.global)) == ["replay.assertion 3", "-", "replay.cross_key 2"])
  }

  @Test func `a device is no key, though its digest were a key's identifier`() throws {
    let events: [ReplaySample] = [
      ReplaySample(time: 1, line: 1, isBehind: true),
      ReplaySample(time: 2, line: 2, isBehind: true, isOfDevice: true),
      ReplaySample(time: 3, line: 3, isBehind: true, isOfDevice: true),
      ReplaySample(time: 4, line: 4, isBehind: true),
    ]
    #expect(
      try codes(events, policy(.global))
        == ["-", "replay.cross_key 1", "replay.assertion 2", "replay.assertion 1"])
    #expect(
      try codes(events, policy(.exact)) == ["-", "-", "replay.assertion 2", "replay.assertion 1"])
  }

  @Test func `an attestation of the same key before is remembered`() throws {
    let events: [ReplaySample] = [
      ReplaySample(kind: .attestation, time: 1, line: 1, isValidAttestation: true),
      ReplaySample(kind: .attestation, time: 2, line: 2, isValidAttestation: true),
      ReplaySample(kind: .attestation, key: 2, time: 3, line: 3, isValidAttestation: true),
      ReplaySample(kind: .assertion, time: 4, line: 4),
    ]
    #expect(try judge(events).map(\.isAttestedBefore) == [false, true, false, false])
  }

  // MARK: Against the reference

  func random(_ count: Int, _ seed: UInt64, keys: Int, identities: Int) -> [ReplaySample] {
    var random = Generator(seed)
    return (0..<count).map { index in
      var event = ReplaySample(line: UInt64(index) + 1)
      event.kind = random.below(3) == 0 ? .attestation : .assertion
      event.key = UInt8(random.below(keys))
      event.identity = UInt8(random.below(identities))
      event.time = Int64(random.below(count / 2 + 2)) - 3
      event.requestID = [nil, "", "a", "b", "c"][random.below(5)]
      event.decision = [.unknown, .accepted, .rejected, .rejected, .rejected][random.below(5)]
      event.subject = [nil, nil, "s", "s", "t"][random.below(5)]
      event.codes = CodeSet(bits: random.next() & 0xFFFF)
      // Whether a key's assertions can be verified is one question for all of them.
      event.isBehind =
        event.kind == .assertion
        ? event.key % 3 == 2 : (event.time &+ Int64(event.identity)) % 4 == 0
      event.isValidAttestation = event.kind == .attestation && !event.isBehind
      event.isOfDevice = event.kind == .assertion && event.isBehind && random.below(2) == 0
      return event
    }.shuffled(using: &random)
  }

  @Test(arguments: 0..<60)
  func `small groups are judged as the reference judges them`(_ seed: UInt64) throws {
    var random = Generator(seed)
    let events = self.random(
      2 + random.below(60), seed, keys: 1 + random.below(5), identities: 1 + random.below(6))
    for scope in ReplayScope.allCases {
      var policy = policy(scope, retry: Int64([0, 0, 1, 7][random.below(4)]))
      policy.rejectedRetry = [600_000, 0, 5, 15][random.below(4)]
      #expect(
        try judge(events, policy) == replayReference(events, policy).sorted { $0.line < $1.line })
    }
  }

  @Test(arguments: ReplayScope.allCases)
  func `a group beyond memory is judged as in memory and as the reference does`(
    _ scope: ReplayScope
  ) throws {
    let events = random(2000, 77, keys: 4, identities: 5)
    let policy = policy(scope, retry: 3)
    let small = try judge(events, policy, appID: "")
    let long = String(repeating: "x", count: TextStore.inlineBytes)
    let rowBytes = try events[0].row(shuffles.texts, appID: long).count
    #expect(rowBytes * events.count > ReplayGroup.capacity)
    #expect(rowBytes * events.count / 10 < ReplayGroup.capacity)
    let spilled = try judge(events, policy, appID: long)
    #expect(spilled == small)
    #expect(small == replayReference(events, policy).sorted { $0.line < $1.line })
  }

  @Test(arguments: [false, true])
  func `a use under another key names that key, but no device`(_ isOfDevice: Bool) throws {
    let group = ReplayGroup(policy: policy(.global), shuffles: shuffles)
    let events = [ReplaySample(line: 1, isOfDevice: isOfDevice), ReplaySample(key: 2, line: 2)]
    try add(events, to: group, appID: "app")
    var findings: [ReplayFinding] = []
    try group.settle { (event, _) throws(AuditError) in
      if let finding = event.note.finding { findings.append(finding) }
    }
    #expect(findings.map(\.code) == [.replayCrossKey])
    #expect(findings.first?.otherKey == (isOfDevice ? nil : digest(1)))
  }

  @Test func `a group is used again after one beyond memory`() throws {
    let long = String(repeating: "x", count: TextStore.inlineBytes)
    let group = ReplayGroup(policy: DetectionPolicy(), shuffles: shuffles)
    for count in [2000, 3, 1, 2000, 2] {
      let events = random(count, UInt64(count), keys: 3, identities: 3)
      try add(events, to: group, appID: long)
      var said = 0
      try group.settle { (_, _) throws(AuditError) in said += 1 }
      #expect(said == count)
    }
  }

  @Test func `a temporary folder that is gone is an error, not a wrong answer`() throws {
    let shuffles = Shuffles(folder: scratch.path + "/missing")
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
