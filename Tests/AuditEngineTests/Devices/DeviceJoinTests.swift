import AppAttest
import AuditLog
import Basics
import TestSupport
import Testing

@testable import AuditEngine

/// Assertions that name their device only, through all stages.
@Suite struct `Device join` {
  let keys = StagedKey.all
  var start: Int64 { keys[0].time }

  @Test func `a failed attestation cannot make an honest device's assertions fail`() throws {
    // The attacker's request names a device that was attested before the log began, and a key
    // that is attested for another device.
    let outcome = try StagedAudit().run([
      keys[1].attestation.of("E"), keys[1].attestation.at(keys[1].time + 1).failing.of("D"),
      keys[0].assertions[0].at(keys[1].time + 60_000).of("D"),
      keys[0].assertions[1].at(keys[1].time + 70_000).of("D"),
      keys[1].assertions[0].at(keys[1].time + 80_000).of("E"),
    ])
    #expect(
      outcome.codes == ["high attestation.nonce_mismatch 2", "high key.untrusted 3 x2"])
    #expect(outcome.findings[1].detail.hasPrefix("Only a failed attestation says"))
    #expect(outcome.findings[1].related == nil)
    #expect(outcome.counts == [2, 1, 2])
    // Where the signature holds under it, the key is the device's whatever failed.
    let same = try StagedAudit().run([
      keys[1].attestation.of("E"), keys[1].attestation.at(keys[1].time + 1).failing.of("D"),
      keys[1].assertions[0].at(keys[1].time + 60_000).of("D"),
    ])
    #expect(same.codes == ["high attestation.nonce_mismatch 2"])
    #expect(same.counts == [2, 1, 0])
  }

  // MARK: Identifiers

  @Test func `an assertion with both identifiers is its key's alone`() throws {
    let outcome = try StagedAudit().run([
      keys[0].attestation.of("D"), keys[1].attestation.of("E"),
      keys[1].assertions[0].at(keys[1].time + 1).of("D", besideKey: true),
      keys[2].assertions[0].of("nobody", besideKey: true),
    ])
    #expect(outcome.codes == ["high key.unknown 4"])
    #expect(outcome.findings[0].keyID == keys[2].keyID)
    #expect(outcome.owners[3] == keys[1].keyID)
  }

  @Test func `identifiers are told apart to their last byte, and may be empty`() throws {
    let long = String(repeating: "d", count: 5000)
    let names = ["", " ", "d", "D", "e\u{301}", "é", long, long + "d", "=cmd|x"]
    let outcome = try StagedAudit().run(
      names.enumerated().map { index, name in
        keys[1].assertions[index].at(start + Int64(index)).of(name)
      })
    #expect(outcome.codes == names.indices.map { "high key.unknown \($0 + 1)" })
    #expect(Set(outcome.findings.map(\.fingerprint)).count == names.count)
    #expect(outcome.findings.allSatisfy { $0.detail.utf8.count < 300 })
  }

  @Test func `what is found before the join names the key that is found`() throws {
    var weak = keys[0].assertions[0].decided(.accepted)
    weak.record.clientData = weak.record.clientDataHash
    weak.record.clientDataHash = weak.add([UInt8](repeating: 1, count: 32))
    weak.record.clientData = weak.add([1, 2, 3])
    weak.record[.requestID] = weak.add(Array("r-1".utf8))
    let records = [
      keys[0].attestation.of("D"), weak.of("D"), keys[0].assertions[1].malformed.of("D"),
    ]
    let outcome = try StagedAudit().run(records)
    let plain = try StagedAudit(joinsDevices: false).run([
      keys[0].attestation, weak, keys[0].assertions[1].malformed,
    ])
    #expect(outcome == plain)
    #expect(outcome.findings.count == 4)
    #expect(outcome.findings.allSatisfy { $0.keyID == keys[0].keyID })
  }

  // MARK: Order, memory, workers

  @Test func `workers and the order of reading change nothing`() throws {
    var random = Generator(9)
    var records: [StagedRecord] = []
    for (index, key) in keys.enumerated() {
      records += [
        key.attestation.of("D"), key.attestation.of("E\(index)"), key.attestation.failing.of("F"),
      ]
      for round in 0..<8 {
        for assertion in key.assertions {
          let device = ["D", "E\(index)", "F", "G"][random.below(4)]
          var copy = assertion.at(start + Int64(random.below(60_000_000))).of(device)
          let request = String(repeating: "r", count: 480) + "\(round)"
          copy.record[.requestID] = copy.add(Array(request.utf8))
          if random.below(9) == 0 { copy = copy.malformed }
          records.append(copy)
        }
      }
    }
    for index in records.indices { records[index].line = UInt64(index) + 1 }
    let reference = try StagedAudit(jobs: 1).run(records)
    #expect(reference.findings.count > 100)
    records.shuffle(using: &random)
    #expect(try StagedAudit(jobs: 3).run(records) == reference)
  }

  // MARK: Devices that nothing names

  @Test func `unknown devices have one finding each, and no row`() throws {
    let records = [
      keys[0].attestation.of("A"),
      keys[1].assertions[0].at(start + 5000).of("D"),
      keys[1].assertions[1].at(start + 4000).of("D"),
      keys[2].assertions[0].at(start + 6000).of("E"),
      keys[1].assertions[2].at(start + 7000).of("D"),
    ]
    let outcome = try StagedAudit().run(records)
    #expect(outcome.codes == ["high key.unknown 3 x3", "high key.unknown 4"])
    let found = outcome.findings
    #expect(found.allSatisfy { $0.keyID == nil && $0.related == nil && $0.kind == .assertion })
    #expect(
      found.map(\.detail)
        == ["D", "E"].map {
          "No attestation names the device \"\($0)\" of the field deviceId (/device); "
            + "its assertions cannot be verified."
        })
    #expect(found[0].fingerprint == Fingerprint.of(.keyUnknown, "D".utf8))
    #expect(found[0].counter == 2 && found[0].time == start + 4000)
    #expect(outcome.keys.map(\.keyID) == [keys[0].keyID])
    #expect(outcome.keyCounts == [1, 0, 0, 0, 0])
    #expect(outcome.counts == [1, 0, 4])
    for line in [2, 3, 4, 5] as [UInt64] { #expect(outcome.owners[line] == .some(nil)) }
    #expect(outcome.verdicts.map(\.verdict).filter { $0 == .unverifiable }.count == 4)
    let unknown: [FindingCode] = [.keyUnknown]
    #expect(outcome.verdicts.map(\.codes) == [[], unknown, unknown, unknown, unknown])
  }

  @Test func `unknown devices take part in the replay audit behind what was verified`() throws {
    let (mine, other) = (keys[0].assertions[0], keys[1].assertions[0])
    let outcome = try StagedAudit().run([
      keys[0].attestation.of("A"),
      mine.at(start + 1000).of("X"), mine.at(start + 2000).of("X"), mine.at(start + 3000).of("A"),
      mine.at(start + 4000).of("Y"), other.at(start + 5000).of("Y"),
    ])
    #expect(
      outcome.codes == [
        "high key.unknown 2 x2", "high replay.cross_key 2", "critical replay.assertion 3",
        "high key.unknown 5 x2", "high replay.cross_key 5",
      ])
    var exact = StagedAudit()
    exact.detection.replayScope = .exact
    let codes = try exact.run([
      mine.at(start).of("X"), mine.at(start + 1).of("X"), mine.at(start + 2).of("Y"),
    ]).codes
    #expect(
      codes == ["high key.unknown 1 x2", "critical replay.assertion 2", "high key.unknown 3"])
  }

  @Test func `a key that is called as a device's digest is another one`() throws {
    var claimed = keys[1].assertions[0].at(start + 1)
    claimed.record.keyID = claimed.add(Digest256.sha256(Array("D".utf8).span).bytes)
    let outcome = try StagedAudit().run([
      keys[1].assertions[0].at(start).of("D"), claimed,
      keys[1].assertions[1].at(start + 2).of("D"),
    ])
    #expect(
      outcome.codes
        == ["high key.unknown 1 x2", "high key.unknown 2", "high replay.cross_key 2"])
    #expect(outcome.keys.map(\.status) == [.unknown])
    #expect(outcome.keys.map(\.findings) == [2])
  }
}
