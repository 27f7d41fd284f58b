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
          fingerprint: Fingerprint.key(.keyUnknown, key.keyID), firstSeen: "2026-03-01")
      ])
    #expect(nights.standing == [])
    // Settled once.
    let third = try nights.run([at(50, key.assertions[3])])
    #expect(third.codes == [] && third.closed.isEmpty && third.keys.map(\.assertions) == [1])
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

  // MARK: Known keys of a list

  @Test func `a list's key is remembered with its counters, but not trusted for that`() throws {
    let key = keys[0]
    let known = try key.known(lastCounter: 2)
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
          copy.record[.subject] = copy.add(Array("subject \(random.below(2))".utf8))
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
  func remember(_ key: KeptKey, isNew: Bool) throws(AuditError) {}
  func publicKey(_ keyID: Digest256) throws(AuditError) -> [UInt8]? { nil }
  func keys(ofDevice device: Digest256) throws(AuditError) -> [KeptDevice] { [] }
  func remember(_ device: KeptDevice) throws(AuditError) {}
}
