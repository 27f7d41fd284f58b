import AppAttest
import AuditLog
import Testing

@testable import AuditEngine

/// `counter.server_mismatch`, through all stages.
@Suite struct `Server counter` {
  private let key = StagedKey.all[0]

  /// Assertions of the key, which line 1 attests: the counter, seconds after the attestation, the counter that the
  /// server had stored, and its decision; and what is found of them, with the lines.
  private typealias Case = (
    [(counter: Int, second: Int64, stored: UInt32?, decision: Decision)], [String]
  )

  private static func mismatch(_ line: Int) -> String { "medium counter.server_mismatch \(line)" }

  private static func accepted(
    _ steps: [(Int, Int64, UInt32?)], _ codes: [String], _ decision: Decision = .unknown
  ) -> Case {
    (steps.map { ($0.0, $0.1, $0.2, decision) }, codes)
  }

  private static let cases: [Case] = [
    accepted([(1, 1, 0), (2, 2, 1), (5, 3, 2), (6, 4, 5)], []),
    accepted([(1, 1, 7), (2, 2, 1)], [mismatch(2)]),
    accepted([(1, 1, nil), (3, 2, nil), (4, 3, 2), (5, 4, nil)], [mismatch(4)]),
    // A counter that was set back, and one that never rises.
    accepted(
      [(1, 60, 0), (2, 120, 0), (3, 180, 0), (4, 240, 3), (5, 300, 9)],
      [mismatch(3), mismatch(4), mismatch(6)]),
    // Requests at once may read a value that was superseded within the tolerance: 1, at second 60.
    accepted([(1, 0, 0), (2, 60, 1), (3, 90, 1)], []),
    accepted([(1, 0, 0), (2, 60, 1), (3, 91, 1)], [mismatch(4)]),
    // A value that never was the highest does not count.
    accepted([(1, 0, 0), (5, 1, 1), (6, 2, 3)], [mismatch(4)]),
    accepted([(1, 0, 0), (2, 1, 1), (3, 1, 1), (7, 1, 2), (8, 2, 2)], []),
    // What came reordered is compared with the highest so far.
    accepted(
      [(1, 1, 0), (3, 2, 1), (2, 3, 3), (2, 4, nil), (4, 5, 2)],
      ["info counter.reordered 4", "critical replay.assertion 5", mismatch(6)]),
    accepted([(1, 1, 0), (3, 2, 2), (2, 3, 1)], [mismatch(3), "info counter.reordered 4"]),
    // One millisecond is judged in the order of counters.
    accepted([(3, 1, 2), (2, 1, 1), (1, 1, 0)], []),
    // An exact replay has no mismatch of its own.
    accepted([(1, 1, 0), (2, 2, 1), (1, 3, 77), (3, 4, 2)], ["critical replay.assertion 4"]),
    // The server's decision lowers it, and never raises it.
    accepted([(1, 1, 9)], [mismatch(2)], .accepted),
    accepted([(1, 1, 9)], ["low counter.server_mismatch 2"], .rejected),
    // What the server rejected it did not store.
    (
      [
        (1, 60, 0, .accepted), (2, 120, 1, .rejected), (3, 180, 1, .accepted),
        (4, 240, 2, .accepted),
      ],
      ["low decision.rejected_valid 3", mismatch(5)]
    ),
    (
      [(1, 60, 0, .rejected), (1, 61, 0, .accepted), (2, 120, 1, .accepted)],
      ["low decision.rejected_valid 2", "info replay.retry 3"]
    ),
  ]

  @Test(arguments: cases.indices)
  func `a stored counter is compared with what was reached`(_ index: Int) throws {
    let (steps, codes) = Self.cases[index]
    let records = steps.map { step in
      key.assertions[step.counter - 1].at(key.time + step.second * 1000).stored(step.stored)
        .decided(step.decision)
    }
    let outcome = try StagedAudit().run([key.attestation] + records)
    #expect(outcome.codes == codes)
    for finding in outcome.findings where finding.code == .counterServerMismatch {
      let stored = steps[Int(finding.position.line) - 2].stored ?? 0
      let expected = finding.expected ?? .max
      #expect(finding.detail == "The server had stored the counter \(stored), not \(expected).")
      #expect(outcome.verdicts[Int(finding.position.line) - 1].verdict == .flagged)
    }
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
    let bytes = key.attestation.bytes
    let point = try #require(
      bytes.indices.lazy.filter { bytes[$0] == 4 && $0 + 65 <= bytes.count }
        .map { Array(bytes[$0..<($0 + 65)]) }.first { Digest256.sha256($0.span) == key.keyID })
    let appID = try #require(try StagedAudit().run([key.attestation]).keys.first).appID
    let known = KnownKey(keyID: key.keyID, publicKey: point, appID: appID, lastCounter: 3)
    let (start, assertions) = (key.time, key.assertions)
    let outcome = try StagedAudit(knownKeys: [known]).run([
      assertions[3].at(start).stored(3), assertions[4].at(start + 31_000).stored(3),
      assertions[5].at(start + 31_001).stored(5),
    ])
    #expect(outcome.codes == [Self.mismatch(2)] && outcome.findings[0].expected == 4)
  }
}
