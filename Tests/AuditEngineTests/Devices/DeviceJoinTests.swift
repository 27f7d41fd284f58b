import AppAttest
import AuditLog
import Basics
import Files
import RowShuffle
import TestSupport
import Testing

@testable import AuditEngine

/// Assertions that name their device only, through all stages.
@Suite struct `Device join` {
  let keys = StagedKey.all
  var start: Int64 { keys[0].time }

  @Test func `joined to the key that the attestation names, a device's day is clean`() throws {
    var records: [StagedRecord] = []
    for (index, key) in keys.enumerated() {
      records += key.assertions.map { $0.of("D\(index)") }
    }
    // The attestations are read last.
    for (index, key) in keys.enumerated() { records.append(key.attestation.of("D\(index)")) }
    let joined = try StagedAudit().run(records)
    #expect(joined.codes == [])
    #expect(joined.counts == [UInt64(records.count), 0, 0])
    let plain = try StagedAudit(joinsDevices: false).run(
      records.map { staged in
        var copy = staged
        copy.record.deviceID = nil
        return copy
      }.enumerated().map { index, staged in
        // With the key identifier, as it was read.
        var copy = staged
        if copy.record.kind == .assertion {
          let key = keys[index / keys[0].assertions.count]
          copy.record.keyID = copy.add(key.keyID.bytes)
        }
        return copy
      })
    #expect(joined == plain)
  }

  @Test
  func `an assertion belongs to the key of its device that signed it, whenever that was attested`()
    throws
  {
    // records.R77.
    let (first, second) = (keys[0], keys[1])
    let change = second.time
    let outcome = try StagedAudit().run([
      first.attestation.of("D"), second.attestation.of("D"),
      first.assertions[0].at(change - 9_000).of("D"),
      second.assertions[0].at(change - 500).of("D"),
      first.assertions[1].at(change + 30_000).of("D"),
      // Neither's, before and after the second attestation, and a replay of the first's that comes late.
      keys[2].assertions[0].at(change - 1).of("D"),
      first.assertions[0].at(change + 10_000).of("D"),
      first.assertions[1].at(change + 30_001).of("D"), keys[2].assertions[0].at(change).of("D"),
    ])
    #expect(
      outcome.codes == [
        "high assertion.signature_invalid 6", "high assertion.signature_invalid 9",
        "critical replay.assertion 7", "critical replay.assertion 8",
      ])
    #expect([3, 5, 6, 7, 8].allSatisfy { outcome.owners[$0] == first.keyID })
    #expect([4, 9].allSatisfy { outcome.owners[$0] == second.keyID })
    #expect(outcome.findings.prefix(2).map(\.keyID) == [first.keyID, second.keyID])
  }

  @Test
  func `a rejected attestation takes no device from its owner, and gives its own assertions a key`()
    throws
  {
    let (owner, thief) = (keys[0], keys[1])
    let records = [
      owner.attestation.decided(.accepted).of("D"), thief.attestation.decided(.rejected).of("D"),
      owner.assertions[0].at(thief.time + 60_000).decided(.accepted).of("D"),
      keys[2].assertions[0].at(thief.time + 70_000).decided(.accepted).of("D"),
      thief.assertions[0].at(thief.time + 80_000).decided(.rejected).of("D"),
    ]
    let outcome = try StagedAudit().run(records)
    #expect(
      outcome.codes == [
        "low decision.rejected_valid 2", "critical assertion.signature_invalid 4",
        "low decision.rejected_valid 5",
      ])
    #expect([3, 4].allSatisfy { outcome.owners[$0] == owner.keyID })
    #expect(outcome.owners[5] == thief.keyID)
    // The same with what earlier nights know, and with a list.
    for cut in 1...4 {
      var nights = StagedNights()
      var codes = try nights.run(Array(records[..<cut])).codes
      codes += try nights.run(
        records[cut...].enumerated().map { index, record in
          var copy = record
          copy.line = UInt64(cut + index + 1)
          return copy
        }
      ).codes
      #expect(codes == outcome.codes, "cut \(cut)")
    }
    let listed = try StagedAudit(knownKeys: [owner.known("D")]).run(Array(records[1...]))
    #expect(listed.findings.map(\.code) == outcome.findings.map(\.code))
  }

  @Test(arguments: [false, true])
  func `where only failed attestations name the device, its key is untrusted`(
    _ isMalformed: Bool
  ) throws {
    let attestation = keys[0].attestation
    let outcome = try StagedAudit().run([
      (isMalformed ? attestation.malformed : attestation.failing).of("D"),
      keys[0].assertions[0].of("D"), keys[0].assertions[1].of("D"),
    ])
    #expect(
      outcome.codes == [
        "high attestation.\(isMalformed ? "malformed" : "nonce_mismatch") 1",
        "high key.untrusted 2 x2",
      ])
    #expect(outcome.findings[1].keyID == keys[0].keyID)
    #expect(outcome.findings[1].related == Position(source: 0, line: 1))
    #expect(outcome.counts == [0, 1, 2])
    #expect(outcome.keys.map(\.status) == [.untrusted])
  }

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
}
