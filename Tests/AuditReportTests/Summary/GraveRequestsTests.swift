import AppAttest
import AuditEngine
import AuditLog
import Testing

@testable import AuditReport

/// The number of requests of severe findings, each counted once.
struct GraveRequestsTests {
  /// A finding about an assertion of a key.
  struct Found {
    var code: FindingCode
    var line: UInt64
    var count: UInt64 = 1
    var decision = Decision.accepted
  }

  private static let forged = FindingCode.assertionSignatureInvalid

  @Test(
    arguments: [
      ([Found(code: forged, line: 1), Found(code: .replayAssertion, line: 1)], 1),
      ([Found(code: forged, line: 1), Found(code: forged, line: 2)], 2),
      // One request at least of a key that is not known.
      ([Found(code: .keyUntrusted, line: 1, count: 9)], 1),
      // It can be any of its lines, and all of those with findings of their own are counted.
      ([Found(code: .keyUntrusted, line: 1, count: 9), Found(code: forged, line: 2)], 1),
      ([Found(code: .keyUntrusted, line: 1, count: 9), Found(code: forged, line: 1)], 1),
      (
        [
          Found(code: forged, line: 1), Found(code: .keyUntrusted, line: 1, count: 9),
          Found(code: forged, line: 2), Found(code: forged, line: 3),
        ], 3
      ),
      (
        [
          Found(code: .keyUntrusted, line: 1, count: 9), Found(code: forged, line: 1),
          Found(code: forged, line: 2), Found(code: forged, line: 3),
        ], 3
      ),
      // All of the key were rejected.
      (
        [
          Found(code: .keyUntrusted, line: 1, count: 9, decision: .rejected),
          Found(code: forged, line: 2, decision: .rejected), Found(code: forged, line: 10),
        ], 1
      ),
    ] as [([Found], UInt64)])
  func `each accepted request is counted once, and no more than are known`(
    _ all: [Found], _ expected: UInt64
  ) {
    var requests = GraveRequests()
    for found in all {
      var finding = Finding(
        found.code, .critical, keyID: Digest256(), at: Position(source: 0, line: found.line),
        fingerprint: 0)
      (finding.kind, finding.decision, finding.count) = (.assertion, found.decision, found.count)
      requests.add(finding, isNew: true)
    }
    #expect(requests.accepted == expected)
    #expect(requests.new == expected)
  }
}
