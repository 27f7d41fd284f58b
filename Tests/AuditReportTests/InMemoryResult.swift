import AppAttest
import AuditLog
import Foundation

@testable import AuditEngine
@testable import AuditReport

/// An audit's result made by hand; `interrupt` is called before each finding.
struct InMemoryResult: AuditResult {
  var sources = ["day/a.jsonl", "day/b, c.jsonl.zst"]
  var inputs: [InputRow] = []
  var totals = AuditTotals()
  var closed: [ClosedFinding] = []
  var closedCount: UInt64 = 0
  let firstSource: UInt32 = 0
  let earlierSource: @Sendable (UInt32) -> String = { _ in "" }
  let likelyCauses: [LikelyCause] = []
  let blindSpots: [BlindSpot] = []
  let accounted: ReadInputs? = nil
  var findings: [Finding] = []
  var keys: [KeyRow] = []
  var rejects: [RejectRow] = []
  var verdicts: [VerdictRow] = []
  var events: [VerdictRow] = []
  var interrupt: () throws -> Void = {}

  func forEachFinding(_ body: (Finding) throws -> Void) throws {
    for finding in findings {
      try interrupt()
      try body(finding)
    }
  }
  func forEachKey(_ body: (KeyRow) throws -> Void) throws { try keys.forEach(body) }
  func forEachBuild(_ body: (BuildRow) throws -> Void) throws -> BuildTotals { BuildTotals() }
  func forEachWithdrawn(_ body: (Finding, Sighting) throws -> Void) throws {}
  func forEachReject(_ body: (RejectRow) throws -> Void) throws { try rejects.forEach(body) }
  func forEachVerdict(_ body: (VerdictRow) throws -> Void) throws { try verdicts.forEach(body) }
  func forEachEvents(_ body: (EventRows) throws -> Void) throws {
    // Blocks of any length come to the same.
    for start in stride(from: 0, to: events.count, by: 3_000) {
      let block = Array(events[start..<min(start + 3_000, events.count)])
      try body(EventRows(count: block.count, longTextBytes: 0) { try block.forEach($0) })
    }
  }

  /// One row of each kind, every column filled, and one with everything unknown.
  static func sample() -> InMemoryResult {
    var result = InMemoryResult()
    result.findings = [Rows.reject, Rows.full]
    result.keys = [Rows.key]
    result.rejects = [
      RejectRow(
        position: Position(source: 0, line: 9), byteOffset: 1234, code: .recordMalformedJSON,
        reason: "The line is not a JSON object.", head: [0x7B, 0xFF, 0x22, 0x00, 0x0A])
    ]
    result.verdicts = [
      VerdictRow(
        time: 1_772_366_400_123, kind: .assertion, keyID: Rows.keyID, appID: "T.app",
        clientDataHash: [0xAB, 0xCD], counter: 7, position: Position(source: 1, line: 3),
        verdict: .failed, codes: [.assertionSignatureInvalid, .counterGap], decision: .rejected,
        subject: "=7", requestID: "r,1"),
      VerdictRow(
        time: nil, kind: nil, keyID: nil, appID: "", clientDataHash: [], counter: nil,
        position: Position(source: 1, line: 4), verdict: .unreadable, codes: [], detail: "No JSON."),
    ]
    result.inputs = [
      InputRow(
        source: "day/a.jsonl", bytes: 10, decompressedBytes: 20, lines: 3, sha256: Digest256(),
        status: .ok),
      InputRow(
        source: "day/b, c.jsonl.zst", bytes: 0, decompressedBytes: 0, lines: 0, sha256: nil,
        status: .unreadable),
    ]
    result.totals.lines = 3
    result.totals.assertions = 2
    result.totals.unreadable = 1
    result.totals.verdicts = [1, 0, 1, 0, 1, 0, 0, 0]
    result.totals.keys[Int(KeyStatus.attested.rawValue)] = 1
    result.totals.findingsBySeverity[Int(Severity.high.rawValue)] = 1
    result.totals.findingsBySeverity[Int(Severity.medium.rawValue)] = 1
    result.totals.findingsByCode[Int(FindingCode.counterRegression.rawValue)] = 1
    result.totals.findingsByCode[Int(FindingCode.recordMalformedJSON.rawValue)] = 1
    return result
  }
}

/// Rows that several tests use.
enum Rows {
  static let keyID = Digest256((0..<32).map { UInt8($0) })!

  static let full = Finding(
    severity: .high, code: .counterRegression, time: 1_772_366_400_123, kind: .assertion,
    keyID: keyID, appID: "TEAM.com.example", clientDataHash: [0x00, 0xFF, 0x10], counter: 3,
    expected: 4_294_967_295, position: Position(source: 1, line: 42),
    related: Position(source: 0, line: 7), count: 1, requestID: "r-1", decision: .accepted,
    subject: "user-7", detail: "The counter is 3, though 4294967295 came before.",
    fingerprint: 0x00AB_CDEF_0123_4567)

  static let reject = Finding(
    severity: .medium, code: .recordMalformedJSON, time: nil, kind: nil, keyID: nil, appID: "",
    clientDataHash: [], counter: nil, expected: nil, position: Position(source: 0, line: 9),
    related: nil, count: 1, requestID: "", decision: .unknown, subject: "",
    detail: "The line is not a JSON object.", fingerprint: 1)

  static let key = KeyRow(
    keyID: keyID, appID: "TEAM.com.example", environment: .production, status: .attested,
    attestedAt: 0, firstSeen: 1, lastSeen: 1_772_366_400_123, attestations: 1, assertions: 5,
    verified: 4,
    failed: 1, firstCounter: 1, lastCounter: 9, missingCounters: 4, findings: 2,
    worstSeverity: .critical, subject: "=1+1",
    facts: KeyFacts(
      osVersion: "18.2", category: .init(rawValue: 4), bundleVersion: "1, \"two\"",
      receiptType: "ATTEST", receiptCreated: nil, riskMetric: "-3"))

  static let facts = RunFacts(
    id: "run-1", pipeline: nil, startedAt: 0, finishedAt: 61_005, elapsed: 61_005, threads: 2,
    peakMemoryBytes: 1024, spilledBytes: 0, verifier: .batch, signatures: VerificationTally())
}
