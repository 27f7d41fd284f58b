import AppAttest
import AuditLog
import Basics
import Files
import RowShuffle
import TestSupport
import Testing

@testable import AuditEngine

/// The replay audit with events of earlier runs, case by case.
@Suite struct `Replay audit with a history` {
  private let audit = ReplayNights()

  private func night(_ events: ReplaySample...) -> ReplayNight { ReplayNight(events: events) }

  private func codes(
    _ nights: [ReplayNight], _ audit: ReplayNights = ReplayNights(),
    _ memory: MemoryHistory = MemoryHistory()
  ) throws -> [[String]] {
    try audit.run(nights, memory).map(\.codes)
  }

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

  // MARK: Waiting

  @Test func `an event that waited is the original of a later replay`() throws {
    let (before, after) = waiting(line: 1)
    let replay = ReplaySample(time: 9, source: 1, line: 2)
    #expect(
      try codes([night(before), night(after, replay)]) == [[], ["replay.assertion 1.2 0.1"]])
    // The night after, too.
    #expect(
      try codes([night(before), night(after), night(replay)])
        == [[], [], ["replay.assertion 1.2 0.1"]])
  }

  @Test func `a replay of which one event waited is found once it is verified`() throws {
    let (before, after) = waiting(line: 1)
    let other = ReplaySample(key: 2, time: 9, source: 1, line: 2)
    #expect(
      try codes([night(before), night(other), night(after)])
        == [[], ["replay.cross_key 0.1 1.2"], ["replay.cross_key 1.2 0.1"]])
  }

  @Test func `what was found of an event while it waited is not repeated`() throws {
    let memory = MemoryHistory()
    let first = waiting(time: 1, line: 1)
    let second = waiting(time: 2, line: 2)
    let history = memory.beginRun()
    let found = try audit.run(night(first.before, second.before), history)
    #expect(found.codes == ["replay.assertion 0.2 0.1"])
    #expect(found.additions == [digest(1): 1])
    for finding in found.findings {
      try history.findings.remember(finding)
    }
    memory.commit()
    // A third one is new, whatever was known of the two.
    let third = ReplaySample(time: 3, source: 1, line: 3)
    let later = try audit.run(night(first.after, second.after, third), memory.beginRun())
    #expect(later.codes == ["replay.assertion 1.3 0.1"])
    #expect(later.additions == [digest(1): 1])
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

  @Test func `an event whose signature proves invalid is forgotten`() throws {
    var (before, after) = waiting(line: 1)
    after.isLookedAt = false
    before.isBehind = true
    let other = ReplaySample(key: 2, time: 9, source: 2, line: 2, isBehind: true)
    #expect(
      try codes([night(before), night(), night(other)]) == [[], [], ["replay.cross_key 2.2 0.1"]])
    #expect(try codes([night(before), night(after), night(other)]) == [[], [], []])
  }

  // MARK: Verified and not

  @Test func `a forged record of an earlier night makes no honest one guilty`() throws {
    let forged = ReplaySample(key: 3, time: 1, line: 1, isBehind: true)
    let honest = ReplaySample(key: 1, time: 2, source: 1, line: 2)
    let late = ReplaySample(key: 3, time: 3, source: 2, line: 3, isBehind: true)
    #expect(
      try codes([night(forged), night(honest), night(late)])
        == [[], ["replay.cross_key 0.1 1.2"], ["replay.assertion 2.3 0.1"]])
    var first = honest
    first.source = 0
    #expect(
      try codes([
        night(first), night(ReplaySample(key: 3, time: 3, source: 1, line: 3, isBehind: true)),
      ]) == [[], ["replay.cross_key 1.3 0.2"]])
  }

  @Test func `an attestation again for the same hash is no re-attestation`() throws {
    let first = ReplaySample(kind: .attestation, time: 1, line: 1, isValidAttestation: true)
    var again = ReplaySample(kind: .attestation, time: 2, source: 1, line: 2)
    again.isValidAttestation = true
    again.identity = 2
    var other = again
    other.hash = [UInt8](repeating: 8, count: 32)
    other.line = 3
    func run(_ sample: ReplaySample) throws -> [String] {
      let memory = MemoryHistory()
      _ = try audit.run([night(first)], memory)
      let scratch = try Scratch()
      let shuffles = Shuffles(folder: scratch.path, remembers: true)
      var event = SampleEvent()
      event.kind = .attestation
      event.keyID = digest(sample.key)
      event.time = sample.time
      event.position = sample.position
      event.identity = [UInt8](repeating: sample.identity, count: 16)
      event.clientDataHash = sample.hash
      let bytes = try event.hashRow(
        shuffles.texts, flags: [.lookedAt, .validAttestation, .mayBeReattested],
        firstAttestation: first.position)
      try withRow(bytes) { unsafe try shuffles.byHash.writer(0).append($0) }
      let (progress, state) = (AuditProgress(), Cancellation<AuditError>())
      let policy = SeverityPolicy(overrides: [:])
      let findings = FindingSink(
        policy: policy, writer: shuffles.findings.writer(0), texts: shuffles.texts,
        progress: progress)
      try ReplayAudit(
        ReduceContext(
          detection: DetectionPolicy(), apps: ConfiguredApps([]),
          shuffles: shuffles, findings: findings,
          verdicts: VerdictSink(writer: nil, texts: shuffles.texts), run: state, progress: progress,
          history: memory.beginRun()
        )
      ).reduce(RowRanges(shuffles.byHash, with: shuffles.challenges))
      var outcome = ReplayNights.Outcome()
      var totals = AuditTotals()
      totals.add(findings)
      try SortedResult(
        sources: [], inputs: [], totals: totals, shuffles: shuffles, run: state
      ).forEachFinding { outcome.findings.append($0) }
      return outcome.codes
    }
    #expect(try run(again) == ["replay.client_data_hash 1.2 0.1"])
    #expect(try run(other) == ["key.reattested 1.3 0.1"])
  }

  // MARK: Challenges

  private func challenging(ttl: Int64?) -> ReplayNights {
    var audit = ReplayNights()
    audit.detection.challengesRequired = true
    audit.detection.challengeTTL = ttl
    audit.detection.reorderTolerance = 10
    return audit
  }

  @Test func `a challenge of an earlier night counts as issued`() throws {
    let issued = ReplayNight(challenges: [ChallengeSample(time: 100, line: 1)])
    let empty = ReplayNight()
    func use(_ time: Int64) -> ReplayNight {
      night(ReplaySample(time: time, source: 2, line: 5))
    }
    let audit = challenging(ttl: 50)
    #expect(try codes([issued, empty, use(89)], audit)[2] == ["challenge.not_issued 2.5"])
    #expect(try codes([issued, empty, use(90)], audit)[2] == [])
    #expect(try codes([issued, empty, use(150)], audit)[2] == [])
    #expect(try codes([issued, empty, use(151)], audit)[2] == ["challenge.expired 2.5 0.1"])
    #expect(try codes([empty, empty, use(151)], audit)[2] == ["challenge.not_issued 2.5"])
    // Where challenges are required they may be used for a day, unless something else is said.
    let day = challenging(ttl: nil)
    #expect(try codes([issued, empty, use(86_400_100)], day)[2] == [])
    #expect(
      try codes([issued, empty, use(86_400_101)], day)[2] == ["challenge.expired 2.5 0.1"])
    // A challenge for another hash does not count.
    var other = issued
    other.challenges[0].hash[31] ^= 1
    #expect(try codes([other, empty, use(100)], audit)[2] == ["challenge.not_issued 2.5"])
  }

  @Test func `the last time a challenge was issued counts, on whatever night`() throws {
    let audit = challenging(ttl: 50)
    var nights = [
      ReplayNight(challenges: [
        ChallengeSample(time: 300, line: 1), ChallengeSample(time: 100, line: 2),
      ]),
      ReplayNight(challenges: [ChallengeSample(time: 200, source: 1, line: 3)]),
      ReplayNight(challenges: [ChallengeSample(time: 400, source: 2, line: 4)]),
    ]
    for (index, time) in ([160, 260, 360, 460, 401] as [Int64]).enumerated() {
      nights[2].events.append(
        ReplaySample(
          key: UInt8(index), time: time, source: 2, line: UInt64(10 + index),
          hash: [UInt8](repeating: 7, count: 32)))
    }
    let found = try codes(nights, audit)[2].filter { $0.hasPrefix("challenge") }
    #expect(
      found == [
        "challenge.expired 2.10 0.2", "challenge.expired 2.11 1.3", "challenge.expired 2.12 0.1",
        "challenge.expired 2.13 2.4",
      ])
  }

  // MARK: Windows, reference, what is ignored

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
      history.rereads = .all(of: ignored)
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

  @Test func `of an earlier run's attestation nobody says for which hash it was`() {
    let memory = MemoryHistory()
    _ = memory.beginRun()
    memory.commit()
    let sentences = ReplaySentences(places: EventPlaces(["b"], memory.beginRun(names: ["b"])))
    #expect(
      sentences.reattested(EventPlace(position: Position(source: 0, line: 1))).text.hasSuffix(
        "was attested again, and no attestation for this clientDataHash is remembered."))
    #expect(
      sentences.reattested(EventPlace(position: Position(source: 1, line: 1))).text.hasSuffix(
        "was attested again, for another clientDataHash."))
  }

  @Test func `a run that was abandoned leaves nothing`() throws {
    let memory = MemoryHistory()
    _ = try audit.run(night(ReplaySample(line: 1)), memory.beginRun())
    memory.abandon()
    memory.commit()
    #expect(memory.state.records.isEmpty && memory.state.sources.isEmpty)
  }

  // MARK: Damage

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

    func remember(_ record: UnsafeRawBufferPointer) throws(AuditError) {}
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
    let bytes = good.bytes
    #expect(try run(bytes) == ["replay.assertion 5.2 4.1"])
    var future = good
    future.position.source = 5
    var other = good
    other.hash = digest(1)
    var longer = good
    longer.hashLength = 33
    var damaged = [future, other, longer].map(\.bytes)
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
