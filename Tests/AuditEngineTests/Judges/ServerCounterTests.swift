import AppAttest
import AuditLog
import Testing

@testable import AuditEngine

/// `counter.server_mismatch`, through all stages. `Tests/SecondReading` and the scenes of the forge have its cases.
@Suite struct `Server counter` {
  private let key = StagedKey.all[0]

  private static func mismatch(_ line: Int) -> String { "medium counter.server_mismatch \(line)" }

  @Test func `a finding names what the server had stored, and what was reached`() throws {
    let (start, assertions) = (key.time, key.assertions)
    let outcome = try StagedAudit().run([
      key.attestation, assertions[0].at(start + 60_000).stored(0),
      assertions[1].at(start + 120_000).stored(0),
      // An exact replay has no mismatch of its own.
      assertions[1].at(start + 180_000).stored(77),
    ])
    #expect(outcome.codes == [Self.mismatch(3), "critical replay.assertion 4"])
    #expect(outcome.findings[0].detail == "The server had stored the counter 0, not 1.")
    #expect(outcome.verdicts[2].verdict == .flagged)
  }

  @Test func `an assertion with an invalid signature is not examined`() throws {
    var forged = key.assertions[0].at(key.time + 1000).stored(9)
    forged.record.clientDataHash = nil
    forged.record.clientData = forged.add(Array("other client data, long enough".utf8))
    let outcome = try StagedAudit().run([key.attestation.stored(5), forged])
    #expect(outcome.codes == ["high assertion.signature_invalid 2"])
    let unknown = try StagedAudit().run([key.assertions[0].stored(9)])
    #expect(unknown.codes == ["high key.unknown 1"])
  }

  @Test func `an imported key's counter is expected`() throws {
    var known = try key.known(lastCounter: 3)
    let (start, assertions) = (key.time, key.assertions)
    let outcome = try StagedAudit(knownKeys: [known]).run([
      assertions[3].at(start).stored(3), assertions[4].at(start + 31_000).stored(3),
      assertions[5].at(start + 31_001).stored(5),
    ])
    #expect(outcome.codes == [Self.mismatch(2)] && outcome.findings[0].expected == 4)
    // Without a value nothing is expected before the key's first counter (detection.R14).
    known.lastCounter = nil
    let unknown = try StagedAudit(knownKeys: [known]).run([
      assertions[3].at(start).stored(3), assertions[4].at(start + 31_000).stored(3),
    ])
    #expect(unknown.codes == [Self.mismatch(2)])
  }
}
