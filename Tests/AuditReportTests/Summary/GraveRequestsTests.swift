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
      ([Found(code: forged, line: 1), Found(code: .replayAssertion, line: 1)], 1, 0),
      ([Found(code: forged, line: 1), Found(code: forged, line: 2)], 2, 0),
      // One request at least of a key that is not known.
      ([Found(code: .keyUntrusted, line: 1, count: 9)], 1, 0),
      // It can be any of its lines, and all of those with findings of their own are counted.
      ([Found(code: .keyUntrusted, line: 1, count: 9), Found(code: forged, line: 2)], 1, 0),
      ([Found(code: .keyUntrusted, line: 1, count: 9), Found(code: forged, line: 1)], 1, 0),
      (
        [
          Found(code: forged, line: 1), Found(code: .keyUntrusted, line: 1, count: 9),
          Found(code: forged, line: 2), Found(code: forged, line: 3),
        ], 3, 0
      ),
      (
        [
          Found(code: .keyUntrusted, line: 1, count: 9), Found(code: forged, line: 1),
          Found(code: forged, line: 2), Found(code: forged, line: 3),
        ], 3, 0
      ),
      // All of the key were rejected.
      (
        [
          Found(code: .keyUntrusted, line: 1, count: 9, decision: .rejected),
          Found(code: forged, line: 2, decision: .rejected),
          Found(code: forged, line: 3, decision: .rejected), Found(code: forged, line: 10),
        ], 1, 9
      ),
    ] as [([Found], UInt64, UInt64)])
  func `each request is counted once, by its decision, and no more than are known`(
    _ all: [Found], _ accepted: UInt64, _ rejected: UInt64
  ) {
    var requests = GraveRequests()
    for found in all {
      var finding = Finding(
        found.code, .critical, keyID: Digest256(), at: Position(source: 0, line: found.line),
        fingerprint: 0)
      (finding.kind, finding.decision, finding.count) = (.assertion, found.decision, found.count)
      requests.add(finding, isNew: true)
    }
    #expect(requests.accepted == accepted)
    #expect(requests.new == accepted)
    #expect(requests.byDecision[Int(Decision.rejected.rawValue)] == rejected)
  }
}
