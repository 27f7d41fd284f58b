import AppAttest
import AuditLog
import Basics
import RowShuffle
import TestSupport
import Testing

@testable import AuditEngine

/// Devices that nothing names.
extension `Device join` {
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
