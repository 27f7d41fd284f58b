import AppAttest
import AuditLog
import Testing

@testable import AuditEngine

/// `counter.server_mismatch`, through all stages.
@Suite struct `Server counter` {
  private let key = StagedKey.all[0]
  private var start: Int64 { key.time }

  /// Audits assertions of the key with these counters, seconds after its attestation, and counters
  /// that the server had stored. Findings are told by line. The attestation is line 1.
  private func audit(
    _ steps: [(counter: Int, second: Int64, stored: UInt32?)], _ audit: StagedAudit = StagedAudit(),
    decision: Decision = .unknown
  ) throws -> StagedAudit.Outcome {
    try audit.run(
      [key.attestation]
        + steps.map {
          key.assertions[$0.counter - 1].at(start + $0.second * 1000).stored($0.stored)
            .decided(decision)
        })
  }

  private func mismatch(_ line: Int) -> String { "medium counter.server_mismatch \(line)" }

  @Test func `a server that stores what it sees is at one with the audit`() throws {
    let outcome = try audit([(1, 1, 0), (2, 2, 1), (5, 3, 2), (6, 4, 5)])
    #expect(outcome.codes == [])
  }

  @Test func `the first assertion is to find a counter of 0`() throws {
    for stored in [1, 2, UInt32.max] {
      let outcome = try audit([(1, 1, stored), (2, 2, 1)])
      #expect(outcome.codes == [mismatch(2)])
      let finding = outcome.findings[0]
      #expect(finding.expected == 0 && finding.counter == 1 && finding.related == nil)
      #expect(finding.detail == "The server had stored the counter \(stored), not 0.")
      #expect(finding.keyID == key.keyID && finding.count == 1)
      #expect(outcome.verdicts[1].codes == [.counterServerMismatch])
      #expect(outcome.verdicts[1].verdict == .flagged)
      #expect(outcome.keys[0].findings == 1 && outcome.keys[0].worstSeverity == .medium)
    }
  }

  @Test func `only where the log has a counter is it examined`() throws {
    #expect(try audit([(1, 1, nil), (3, 2, nil), (4, 3, 2), (5, 4, nil)]).codes == [mismatch(4)])
  }

  @Test func `a counter set back shows, and so does one that never rises`() throws {
    let outcome = try audit([(1, 60, 0), (2, 120, 0), (3, 180, 0), (4, 240, 3), (5, 300, 9)])
    #expect(outcome.codes == [mismatch(3), mismatch(4), mismatch(6)])
    #expect(outcome.findings.map(\.expected) == [1, 2, 4])
  }

  @Test func `requests at once may read a value that was superseded within the tolerance`() throws {
    // 1 was superseded by 2 at second 60.
    for (second, isKnown) in [(60, true), (89, true), (90, true), (91, false)] {
      let outcome = try audit([(1, 0, 0), (2, 60, 1), (3, Int64(second), 1)])
      #expect(outcome.codes == (isKnown ? [] : [mismatch(4)]), "\(second)")
    }
    // A value that never was the highest does not count.
    #expect(try audit([(1, 0, 0), (5, 1, 1), (6, 2, 3)]).codes == [mismatch(4)])
    // All values of one millisecond are.
    #expect(try audit([(1, 0, 0), (2, 1, 1), (3, 1, 1), (7, 1, 2), (8, 2, 2)]).codes == [])
  }

  @Test func `what the server rejected it did not store`() throws {
    func record(_ counter: Int, _ second: Int64, _ stored: UInt32, _ decision: Decision)
      -> StagedRecord
    {
      key.assertions[counter - 1].at(start + second * 1000).stored(stored).decided(decision)
    }
    let outcome = try StagedAudit().run([
      key.attestation, record(1, 60, 0, .accepted), record(2, 120, 1, .rejected),
      record(3, 180, 1, .accepted), record(4, 240, 2, .accepted),
    ])
    #expect(
      outcome.codes
        == ["low decision.rejected_valid 3", mismatch(5)])
    #expect(outcome.findings[1].expected == 3)
    // The counter that only a rejected request had is no gap and no regression.
    let retried = try StagedAudit().run([
      key.attestation, record(1, 60, 0, .rejected), record(1, 61, 0, .accepted),
      record(2, 120, 1, .accepted),
    ])
    #expect(retried.codes == ["low decision.rejected_valid 2", "info replay.retry 3"])
  }

  @Test func `what came reordered is compared with the highest so far`() throws {
    let outcome = try audit([(1, 1, 0), (3, 2, 1), (2, 3, 3), (2, 4, nil), (4, 5, 2)])
    #expect(
      outcome.codes == [
        "info counter.reordered 4", "critical replay.assertion 5", mismatch(6),
      ])
    // Stored before the other one came: the server saw them in another order than the log.
    let other = try audit([(1, 1, 0), (3, 2, 2), (2, 3, 1)])
    #expect(other.codes == [mismatch(3), "info counter.reordered 4"])
    #expect(other.findings.map(\.expected) == [1, 3])
  }

  @Test func `one millisecond is judged in the order of counters`() throws {
    #expect(try audit([(3, 1, 2), (2, 1, 1), (1, 1, 0)]).codes == [])
  }

  @Test func `an exact replay has no mismatch of its own`() throws {
    let outcome = try audit([(1, 1, 0), (2, 2, 1), (1, 3, 77), (3, 4, 2)])
    #expect(outcome.codes == ["critical replay.assertion 4"])
    // The same counter signed again is one.
    var exact = StagedAudit()
    exact.detection.replayScope = .exact
    #expect(
      try audit([(1, 1, 0), (1, 3, 1), (1, 5, 7)], exact).codes
        == ["critical replay.assertion 3", "critical replay.assertion 4"])
  }

  @Test func `a retry and a request logged twice are exact replays too`() throws {
    func request(_ staged: StagedRecord) -> StagedRecord {
      var copy = staged
      copy.record.requestID = copy.add(Array("r".utf8))
      return copy
    }
    let assertion = key.assertions[0].at(start + 1000)
    let twice = try StagedAudit().run([
      key.attestation, request(assertion.stored(0)), request(assertion.stored(9)),
    ])
    #expect(twice.codes == ["info record.duplicate 3"])
    let retried = try StagedAudit().run([
      key.attestation, assertion.stored(0).decided(.rejected),
      assertion.at(start + 2000).stored(9).decided(.accepted),
    ])
    #expect(
      retried.codes == ["low decision.rejected_valid 2", "info replay.retry 3"])
  }

  @Test func `an assertion with an invalid signature is not examined`() throws {
    var forged = key.assertions[0].at(start + 1000).stored(9)
    forged.record.clientDataHash = nil
    forged.record.clientData = forged.add(Array("other client data, long enough".utf8))
    let outcome = try StagedAudit().run([key.attestation, forged])
    #expect(outcome.codes == ["high assertion.signature_invalid 2"])
    let unknown = try StagedAudit().run([key.assertions[0].stored(9)])
    #expect(unknown.codes == ["high key.unknown 1"])
  }

  @Test func `attestations and malformed tokens have no counter to compare`() throws {
    let outcome = try StagedAudit().run([
      key.attestation.stored(5), key.assertions[0].malformed.stored(5),
    ])
    #expect(outcome.codes == ["high assertion.malformed 2"])
  }

  @Test func `an imported key's counter is expected`() throws {
    let point = try #require(publicKey)
    let appID = try #require(try StagedAudit().run([key.attestation]).keys.first).appID
    let known = KnownKey(
      keyID: key.keyID, publicKey: point, appID: appID, lastCounter: 3)
    let assertions = key.assertions
    let outcome = try StagedAudit(knownKeys: [known]).run([
      assertions[3].at(start).stored(3), assertions[4].at(start + 31_000).stored(3),
      assertions[5].at(start + 31_001).stored(5),
    ])
    #expect(outcome.codes == [mismatch(2)])
    #expect(outcome.findings[0].expected == 4)
    // Without a counter in the list, the key begins at 0.
    let plain = KnownKey(keyID: key.keyID, publicKey: point, appID: appID)
    #expect(
      try StagedAudit(knownKeys: [plain]).run([assertions[3].at(start).stored(3)]).codes
        == [mismatch(1)])
  }

  /// The 65 bytes in the attestation whose SHA-256 the key identifier is.
  private var publicKey: [UInt8]? {
    let bytes = key.attestation.bytes
    return bytes.indices.lazy.filter { bytes[$0] == 4 && $0 + 65 <= bytes.count }
      .map { Array(bytes[$0..<($0 + 65)]) }.first { Digest256.sha256($0.span) == key.keyID }
  }

  @Test func `the server's decision lowers it, and never raises it`() throws {
    #expect(try audit([(1, 1, 9)], decision: .accepted).codes == [mismatch(2)])
    let rejected = try audit([(1, 1, 9)], decision: .rejected)
    #expect(rejected.codes == ["low counter.server_mismatch 2"])
  }

  @Test func `a joined device's counters are its key's`() throws {
    let outcome = try StagedAudit().run([
      key.attestation.of("D"), key.assertions[0].at(start + 1).stored(0).of("D"),
      key.assertions[1].at(start + 2).stored(9).of("D"),
      key.assertions[2].at(start + 3).stored(2).of("nobody"),
    ])
    #expect(outcome.codes == [mismatch(3), "high key.unknown 4"])
  }
}
