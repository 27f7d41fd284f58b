import AppAttest
import AuditLog
import TestSupport
import Testing

@testable import AuditEngine

/// Keys, counters and subjects over nights.
@Suite struct `Keys over nights` {
  private let keys = StagedKey.all
  private var start: Int64 { keys[0].time }

  /// Returns a record whose time is so many hours behind the first key's attestation.
  private func at(_ hours: Double, _ record: StagedRecord) -> StagedRecord {
    record.at(start + Int64(hours * 3_600_000))
  }

  // MARK: Attestations that come late

  @Test func `a known key's assertions are verified on later nights`() throws {
    var nights = StagedNights()
    let key = keys[0]
    let first = try nights.run([key.attestation, key.assertions[0]])
    #expect(first.codes == [] && first.keys.map(\.status) == [.attested])
    let second = try nights.run([at(24, key.assertions[1]), at(25, key.assertions[2])])
    #expect(second.codes == [] && second.counts == [2, 0, 0])
    let row = try #require(second.keys.first)
    #expect(row.status == .known && second.keyCounts == [0, 0, 1, 0, 0])
    #expect(row.attestedAt == key.time && row.verified == 2 && row.missingCounters == 0)
    let attested = try #require(first.keys.first)
    #expect(row.appID == attested.appID && row.environment == attested.environment)
    #expect(row.osVersion == attested.osVersion && row.receiptType == attested.receiptType)
    #expect(row.category == attested.category && row.bundleVersion == attested.bundleVersion)
    #expect(row.receiptCreated == attested.receiptCreated)
    #expect(row.firstCounter == 2 && row.lastCounter == 3)
    // A night without the key has no row of it, and leaves what is known as it is.
    let before = nights.history.state.keys
    #expect(try nights.run([keys[1].attestation]).keys.map(\.keyID) == [keys[1].keyID])
    #expect(nights.history.state.keys[key.keyID] == before[key.keyID])
  }

  @Test func `an attestation that comes a night late settles what waited`() throws {
    var nights = StagedNights()
    let key = keys[0]
    let first = try nights.run([at(1, key.assertions[0]), at(2, key.assertions[1])])
    #expect(first.codes == ["high key.unknown 1 x2"] && first.counts == [0, 0, 2])
    #expect(nights.history.state.keys.isEmpty)
    let second = try nights.run([key.attestation, at(26, key.assertions[2])])
    #expect(second.codes == [])
    // The lines of this night are two; what waited was counted before.
    #expect(second.counts == [2, 0, 0] && second.verdicts.count == 2)
    let row = try #require(second.keys.first)
    #expect(row.assertions == 3 && row.verified == 3 && row.missingCounters == 0)
    #expect(row.firstSeen == key.time && row.firstCounter == 1)
    #expect(
      second.closed == [
        ClosedFinding(
          code: .keyUnknown, keyID: key.keyID,
          fingerprint: Fingerprint.key(.keyUnknown, keyID: key.keyID), firstSeen: "2026-03-01")
      ])
    #expect(nights.standing == [])
    // Settled once.
    let third = try nights.run([at(50, key.assertions[3])])
    #expect(third.codes == [] && third.closed.isEmpty && third.keys.map(\.assertions) == [1])
  }

  @Test func `what waited is judged like everything else`() throws {
    var audit = StagedAudit()
    audit.detection.counterGap = 5
    var nights = StagedNights(audit)
    let key = keys[0]
    var forged = at(3, keys[1].assertions[0])
    forged.record.keyID = forged.add(key.keyID.bytes)
    var records = [
      at(-1, key.assertions[0]), at(1, key.assertions[8]), at(2, key.assertions[3]), forged,
      at(4, key.assertions[9]).decided(.rejected), at(5, key.assertions[9]),
    ]
    records[0].record.subject = records[0].add(Array("one".utf8))
    records[1].record.subject = records[1].add(Array("other".utf8))
    for index in records.indices { records[index].line = UInt64(index) + 1 }
    var attestation = key.attestation
    attestation.line = 7
    let first = try nights.run(records)
    #expect(first.findings.contains { $0.code == .keyUnknown && $0.count == 6 })
    let second = try nights.run([attestation])
    #expect(second.counts == [1, 0, 0] && second.verdicts.map(\.position.line) == [7])
    let together = try audit.run(records + [attestation])
    #expect(nights.standing == together.findings.map(\.place).sorted())
    #expect(second.keys.map(\.verified) == together.keys.map(\.verified))
    #expect(second.keys.map(\.failed) == together.keys.map(\.failed))
    #expect(second.keys.map(\.subject) == ["one"])
    #expect(
      Set(together.findings.map(\.code)).isSuperset(of: [
        .keyUsedBeforeAttestation, .counterGap, .counterRegression, .keySubjectChanged,
        .assertionSignatureInvalid,
      ]))
  }

  @Test func `what waits too long is verified no more, and its finding stands`() throws {
    var nights = StagedNights(pendingDays: 1)
    let key = keys[0]
    _ = try nights.run([at(1, key.assertions[0])])
    _ = try nights.run([])
    _ = try nights.run([])
    let late = try nights.run([key.attestation])
    #expect(late.codes == [] && late.closed.isEmpty && late.keys.map(\.assertions) == [0])
    #expect(nights.standing == ["key.unknown 1"])
  }

  @Test func `still unknown, what waits is counted no second time`() throws {
    var nights = StagedNights()
    let key = keys[0]
    _ = try nights.run([at(1, key.assertions[0]), at(2, key.assertions[1])])
    let second = try nights.run([at(25, key.assertions[2])])
    #expect(second.codes == ["high key.unknown 1"])
    #expect(second.keys.map(\.assertions) == [1] && second.closed.isEmpty)
    // All three are settled together.
    let third = try nights.run([key.attestation])
    #expect(third.keys.map(\.verified) == [3] && third.closed.count == 1)
  }

  // MARK: Attestations that fail

  @Test func `a first attestation that fails makes untrusted of unknown`() throws {
    var nights = StagedNights()
    let key = keys[0]
    _ = try nights.run([at(1, key.assertions[0])])
    let second = try nights.run([key.attestation.failing, at(25, key.assertions[1])])
    #expect(
      second.codes == ["high attestation.nonce_mismatch 1", "high key.untrusted 1 x2"])
    let untrusted = try #require(second.findings.last)
    #expect(untrusted.position == Position(source: 0, line: 1))
    #expect(untrusted.related == Position(source: 1, line: 1))
    #expect(second.closed.map(\.code) == [.keyUnknown] && second.counts == [0, 1, 1])
    #expect(nights.history.state.keys[key.keyID]?.firstValid == nil)
    // On the third night the failed attestation lies in an earlier one.
    let third = try nights.run([at(50, key.assertions[2])])
    #expect(third.codes == ["high key.untrusted 1"] && third.keys.map(\.status) == [.untrusted])
    #expect(third.findings.first?.related == Position(source: 1, line: 1))
    // Another failed one changes nothing for what waits.
    let fourth = try nights.run([key.attestation.failing])
    #expect(fourth.codes == ["high attestation.nonce_mismatch 1"] && fourth.closed.isEmpty)
    // And a valid one settles everything.
    let fifth = try nights.run([key.attestation])
    #expect(fifth.codes == [] && fifth.closed.map(\.code) == [.keyUntrusted])
    #expect(fifth.keys.map(\.status) == [.attested] && fifth.keys.map(\.verified) == [3])
  }

  // MARK: Attested again, subjects

  @Test func `attested again on a later night, the first one is named`() throws {
    var nights = StagedNights()
    let key = keys[0]
    _ = try nights.run([key.attestation])
    // The same attestation for the same challenge is a replay, and no other attestation.
    let second = try nights.run([key.attestation.at(key.time + 72_000_000)])
    #expect(second.codes == ["critical replay.attestation 1"])
    #expect(second.keys.map(\.status) == [.attested])
    #expect(second.keys.map(\.attestedAt) == [key.time])
    #expect(
      nights.history.state.keys[key.keyID]?.firstValid == Position(source: 0, line: 1))
  }

  @Test func `used before the attestation of an earlier night`() throws {
    var nights = StagedNights()
    let key = keys[0]
    _ = try nights.run(
      [StagedRecord](repeating: key.assertions[4].malformed, count: 2) + [
        key.attestation
      ])
    let late = try nights.run([at(-1, key.assertions[0])])
    #expect(late.codes == ["high key.used_before_attestation 1"])
    #expect(late.findings.first?.related == Position(source: 0, line: 3))
  }

  @Test func `used before an attestation that another one, which comes late, stands in front of`()
    throws
  {
    var nights = StagedNights()
    let key = keys[0]
    _ = try nights.run([
      key.attestation.at(key.time + 36_000_000), at(1, key.assertions[0]),
      at(-2, key.assertions[1]),
    ])
    #expect(
      nights.standing.filter { $0.hasPrefix("key.used") }
        == ["key.used_before_attestation 2", "key.used_before_attestation 3"])
    let late = try nights.run([key.attestation])
    #expect(late.closed.map(\.code) == [.keyUsedBeforeAttestation])
    #expect(late.keys.map(\.attestedAt) == [key.time])
    #expect(nights.standing.contains("key.used_before_attestation 3"))
    #expect(!nights.standing.contains("key.used_before_attestation 2"))
    // On later nights it was attested when the earlier one says.
    let third = try nights.run([at(2, key.assertions[2]), at(-1, key.assertions[3])])
    #expect(
      third.codes.filter { $0.contains("key.used") } == ["high key.used_before_attestation 2"])
  }

  @Test func `the first subject is the first night's`() throws {
    func of(_ subject: String, _ record: StagedRecord) -> StagedRecord {
      var copy = record
      copy.record.subject = copy.add(Array(subject.utf8))
      return copy
    }
    let long = String(repeating: "s", count: 3000)
    for name in ["one", "", long] {
      var nights = StagedNights()
      let key = keys[0]
      _ = try nights.run([key.attestation, of(name, at(1, key.assertions[0]))])
      let second = try nights.run([
        of(name, at(24, key.assertions[1])), of(long + "!", at(25, key.assertions[2])),
      ])
      #expect(second.codes == ["medium key.subject_changed 2"])
      #expect(second.findings.first?.related == Position(source: 0, line: 2))
      #expect(second.keys.map(\.subject) == [name])
    }
  }

  // MARK: Known keys of a list

  @Test func `a list's key is remembered with its counters, but not trusted for that`() throws {
    let key = keys[0]
    let row = try #require(try StagedAudit().run([key.attestation]).keys.first)
    let bytes = key.attestation.bytes
    let at65 = try #require(
      bytes.indices.first {
        bytes[$0] == 4 && $0 + 65 <= bytes.count
          && Digest256.sha256(Array(bytes[$0..<($0 + 65)]).span) == key.keyID
      })
    let known = KnownKey(
      keyID: key.keyID, publicKey: Array(bytes[at65..<(at65 + 65)]), appID: row.appID,
      lastCounter: 2)
    var nights = StagedNights()
    _ = try nights.run([at(1, key.assertions[2]), at(2, key.assertions[3])])
    nights.audit.knownKeys = [known]
    // The list is new, and the night has no record of the key.
    let second = try nights.run([])
    #expect(second.codes == [] && second.closed.map(\.code) == [.keyUnknown])
    #expect(second.keys.map(\.status) == [.imported] && second.keys.map(\.verified) == [2])
    let third = try nights.run([at(50, key.assertions[3]), at(51, key.assertions[1])])
    #expect(third.findings.map(\.code) == [.replayAssertion, .counterRepeated])
    #expect(third.keys.map(\.status) == [.imported] && third.keys.map(\.assertions) == [2])
    // Once it was attested the state says more than the list.
    _ = try nights.run([key.attestation])
    #expect(try nights.run([at(60, key.assertions[5])]).keys.map(\.status) == [.known])
    nights.audit.knownKeys = []
    #expect(try nights.run([at(61, key.assertions[6])]).keys.map(\.status) == [.known])
  }

  // MARK: Reference

  @Test func `a run that refers to the state leaves nothing and settles nothing`() throws {
    var nights = StagedNights()
    let key = keys[0]
    _ = try nights.run([at(1, key.assertions[0]), keys[1].attestation])
    let state = nights.history.state
    let outcome = try nights.run(
      [key.attestation, at(2, key.assertions[1]), at(3, keys[1].assertions[0])], mode: .reference)
    #expect(outcome.codes == [] && outcome.closed.isEmpty && outcome.counts == [3, 0, 0])
    #expect(outcome.keys.map(\.assertions) == [1, 1])
    #expect(Set(outcome.keys.map(\.status)) == [.attested, .known])
    #expect(nights.history.state.keys == state.keys && nights.history.state.runs == 1)
    #expect(nights.history.state.keptRows == state.keptRows)
  }

  @Test func `read again for reference, a night says what it said`() throws {
    var nights = StagedNights()
    let key = keys[0]
    let records = [key.attestation, at(1, key.assertions[4]), at(2, key.assertions[1])]
    let first = try nights.run(records)
    #expect(first.codes == ["high counter.regression 3"])
    let again = try nights.run(records, mode: .reference) { $0.rereads = .all(of: [0]) }
    #expect(again.codes == first.codes)
    #expect(again.keys.map(\.status) == [.attested])
    // With the counters, everything came before.
    let counted = try nights.run(records, mode: .reference)
    #expect(counted.findings.contains { $0.code == .replayAssertion })
  }

  @Test func `beside what is read again, what other nights saw counts`() throws {
    let key = keys[0]
    for days in [nil, 1] {
      var nights = StagedNights(pendingDays: days)
      let known = [
        key.attestation, at(1, key.assertions[4]), at(2, key.assertions[2]),
        at(3, key.assertions[5]),
      ]
      #expect(try nights.run(known).codes == ["high counter.regression 3"])
      _ = try nights.run([at(26, key.assertions[20])])
      if days != nil { for _ in 0..<3 { _ = try nights.run([keys[1].attestation]) } }
      // A new record below what a night saw that is not read again.
      let new = [at(27, key.assertions[10]), at(28, key.assertions[5])]
      let again = try nights.run(known + new, mode: .reference) { history in
        history.rereads = .all(of: [0], lines: 4, firstSource: history.firstSource)
      }
      #expect(
        again.codes == [
          "high counter.regression 3", "high counter.regression 5", "critical replay.assertion 6",
        ], "\(String(describing: days))")
      #expect(again.findings.first { $0.position.line == 5 }?.expected == 21)
    }
  }

  // MARK: Damage

  @Test func `what cannot have been remembered is an error`() throws {
    let key = keys[0]
    var good = KeptKey(keyID: key.keyID)
    good.firstValid = Position(source: 0, line: 1)
    good.publicKey = [UInt8](repeating: 4, count: 65)
    var short = good
    short.publicKey = [4]
    var empty = good
    empty.publicKey = []
    for remembered in [good, short, empty, KeptKey(keyID: keys[1].keyID)] {
      #expect(throws: AuditError.self) {
        var audit = StagedAudit()
        var history = MemoryHistory().beginRun()
        history.keys = OneKey(key: remembered)
        audit.history = history
        _ = try audit.run([at(1, key.assertions[0])])
      }
    }
  }

  // MARK: Against one run

  @Test(arguments: 0..<6)
  func `random nights find what one run over all of them finds`(_ seed: UInt64) throws {
    var random = Generator(seed + 70)
    let isLate = seed % 2 == 0
    var audit = StagedAudit()
    audit.detection.counterGap = 6
    let length: Int64 = 200_000
    var records: [[StagedRecord]] = Array(repeating: [], count: 6)
    func add(_ record: StagedRecord, _ key: StagedKey, _ time: Int64) {
      let night = max(0, min(Int(time / length), 3))
      records[night + (isLate ? random.below(4) / 3 : 0)].append(record.at(key.time + time))
    }
    for (index, key) in keys.enumerated() {
      add(key.attestation, key, 0)
      // Of equal ones the first would be another where they come late.
      if !isLate, index == 0 { add(key.attestation, key, 3 * length) }
      for (counter, assertion) in key.assertions.enumerated() {
        let due = Int(4 * length) * counter / key.assertions.count - 50_000
        let jitter = [1, 20_000, 90_000][random.below(3)]
        var copy = assertion.stored(random.below(3) == 0 ? UInt32(counter) : nil)
        if !isLate, random.below(4) == 0 {
          copy.record.subject = copy.add(Array("subject \(random.below(2))".utf8))
        }
        add(copy, key, Int64(min(due + random.below(jitter), Int(4 * length) - 1)))
        if !isLate, random.below(6) == 0 {
          add(copy, key, Int64(min(due + random.below(Int(2 * length)), Int(4 * length) - 1)))
        }
      }
    }
    // Lines rise from night to night, as sources do.
    var line: UInt64 = 0
    for night in records.indices {
      for index in records[night].indices {
        line += 1
        records[night][index].line = line
      }
    }
    var nights = StagedNights(audit, pendingDays: 2)
    var counts: [UInt64] = [0, 0, 0]
    for night in records {
      let outcome = try nights.run(night)
      for index in counts.indices { counts[index] += outcome.counts[index] }
      #expect(outcome.verdicts.count == night.count)
    }
    let together = try audit.run(records.flatMap { $0 })
    #expect(nights.standing == together.findings.map(\.place).sorted())
    #expect(Set(nights.open.keys) == Set(together.findings.map(\.fingerprint)))
    #expect(counts.reduce(0, +) == together.counts.reduce(0, +))
    let codes = Set(together.findings.map(\.code))
    #expect(codes.isSuperset(of: [.counterRegression, .counterReordered]))
    if !isLate {
      // In the order of nights nothing that was said changes.
      let related = Dictionary(
        together.findings.map { ($0.fingerprint, $0) }, uniquingKeysWith: { first, _ in first })
      for (fingerprint, finding) in nights.open {
        let other = related[fingerprint]
        #expect(finding.expected == other?.expected && finding.severity == other?.severity)
        #expect(finding.related?.line == other?.related?.line)
        #expect(finding.relatedTime == other?.relatedTime)
        #expect(finding.relatedKeyID == other?.relatedKeyID)
      }
      #expect(codes.isSuperset(of: [.keySubjectChanged, .replayAssertion, .replayAttestation]))
    }
  }
}

/// A memory of one key, as it may not be.
private struct OneKey: KeyMemory {
  let key: KeptKey
  func key(_ keyID: Digest256) throws(AuditError) -> KeptKey? { key }
  func remember(_ key: KeptKey) throws(AuditError) {}
  func publicKey(_ keyID: Digest256) throws(AuditError) -> [UInt8]? { nil }
  func keys(ofDevice device: Digest256) throws(AuditError) -> [KeptDevice] { [] }
  func remember(_ device: KeptDevice) throws(AuditError) {}
}
