import AppAttest
import AuditLog
import Foundation
import RowShuffle
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Rows of the reports` {
  private let scratch: Scratch
  private let texts: TextStore
  private let row: RowBuilder

  init() throws {
    scratch = try Scratch()
    texts = TextStore(folder: scratch.path)
    row = RowBuilder(texts: texts)
  }

  private func finding(_ code: FindingCode = .keyUnknown, time: Int64? = nil) -> Finding {
    Finding(
      severity: .high, code: code, time: time, kind: nil, keyID: nil, appID: "", clientDataHash: [],
      counter: nil, expected: nil, position: Position(source: 0, line: 0), related: nil, count: 1,
      requestID: "", decision: .unknown, subject: "", detail: "", fingerprint: 0)
  }

  @Test func `findings come back, full and empty`() throws {
    var findings = [finding()]
    for (index, text) in sampleTexts.enumerated() {
      var full =
        Finding(
          severity: Severity.allCases[index % 5], code: FindingCode.allCases[index * 5],
          time: index % 2 == 0 ? .min : .max,
          kind: [.attestation, .assertion, .challenge][index % 3],
          keyID: digest(UInt8(index)), appID: text,
          clientDataHash: [UInt8](repeating: 255, count: [0, 16, 255][index % 3]), counter: .max,
          expected: 0, position: Position(source: .max, line: .max),
          related: Position(source: 0, line: 0), count: .max, requestID: text, decision: .rejected,
          subject: text + "s", detail: text, fingerprint: .max)
      full.relatedTime = .min
      full.relatedKeyID = digest(UInt8(index % 2))
      (full.clientIP, full.userAgent, full.route) = (text, text + "u", text + "r")
      findings.append(full)
    }
    for finding in findings {
      try FindingRow(finding: finding, byteOffset: 7).write(row)
      #expect(try withRow(row.bytes) { unsafe try FindingRow($0, texts).finding } == finding)
      #expect(row.bytes.count <= RowRun.maximumRowBytes)
    }
  }

  @Test func `findings sort by time, source, line, code and offset, those without a time first`()
    throws
  {
    var keys: [[UInt8]] = []
    func add(
      _ time: Int64?, _ source: UInt32, _ line: UInt64, _ code: FindingCode, _ offset: UInt64
    )
      throws
    {
      var finding = finding(code, time: time)
      finding.position = Position(source: source, line: line)
      // What stands behind the key must not matter.
      finding.fingerprint = UInt64.max - UInt64(keys.count)
      finding.severity = keys.count % 2 == 0 ? .critical : .info
      try FindingRow(finding: finding, byteOffset: offset).write(row)
      keys.append(Array(row.bytes.prefix(FindingRow.keyLength)))
    }
    try add(nil, 0, 0, .streamCorrupt, 5)
    try add(nil, 0, 0, .streamCorrupt, 256)
    try add(nil, 0, 0, .streamTruncated, 0)
    try add(nil, 0, 1, .recordBadEncoding, 0)
    try add(nil, 1, 0, .streamCorrupt, 0)
    try add(.min, 0, 9, .counterGap, 0)
    try add(-1, 0, 9, .counterGap, 0)
    try add(0, 0, 2, .counterGap, 0)
    try add(0, 0, 2, .replayAssertion, 0)
    try add(0, 0, 10, .assertionMalformed, 0)
    try add(0, 0, 256, .assertionMalformed, 0)
    try add(0, 1, 1, .assertionMalformed, 0)
    try add(0, 256, 0, .assertionMalformed, 0)
    try add(1, 0, 0, .assertionMalformed, 0)
    #expect(keys == keys.sorted { $0.lexicographicallyPrecedes($1) })
    #expect(Set(keys).count == keys.count)
  }

  private func keyRow(_ text: String, isFull: Bool) -> KeyRow {
    KeyRow(
      keyID: digest(5), appID: text, environment: isFull ? .development : nil,
      status: isFull ? .imported : .unknown, attestedAt: isFull ? .min : nil, firstSeen: -1,
      lastSeen: .max, attestations: 5, assertions: 1, verified: 2, failed: 3,
      firstCounter: isFull ? 0 : nil,
      lastCounter: isFull ? .max : nil, missingCounters: isFull ? UInt64(UInt32.max) : nil,
      findings: 4, worstSeverity: isFull ? .critical : nil, subject: text,
      facts: KeyFacts(
        osVersion: text, category: isFull ? ValidationCategory(rawValue: .max) : nil,
        bundleVersion: text, receiptType: text, receiptCreated: isFull ? 0 : nil,
        riskMetric: text))
  }

  @Test func `keys come back, full and empty`() throws {
    for text in sampleTexts {
      for isFull in [false, true] {
        let key = keyRow(text, isFull: isFull)
        try key.write(row)
        #expect(try withRow(row.bytes) { unsafe try KeyRow($0, texts) } == key)
        #expect(withRow(row.bytes) { unsafe !KeyRow.isAddition($0) })
      }
    }
  }

  @Test func `additions stand behind their key and raise what it has`() throws {
    var key = keyRow("", isFull: false)
    try key.write(row)
    let keyBytes = row.bytes
    let additions = [
      (Position(source: 0, line: 0), 2 as UInt32, Severity.low),
      (Position(source: 0, line: 9), 1, .high), (Position(source: 7, line: 1), 3, .medium),
    ]
    var last = keyBytes
    for (position, findings, worst) in additions {
      try KeyRow.Addition(
        keyID: key.keyID, position: position, findings: findings, worst: worst
      ).write(row)
      #expect(
        last.prefix(KeyRow.keyLength).lexicographicallyPrecedes(row.bytes.prefix(KeyRow.keyLength)))
      last = row.bytes
      try withRow(last) { bytes in
        #expect(unsafe KeyRow.isAddition(bytes))
        key.add(unsafe try KeyRow.Addition(bytes, texts))
      }
    }
    #expect(key.findings == 10 && key.worstSeverity == .high)
    var next = keyRow("", isFull: false)
    next.keyID = digest(6)
    try next.write(row)
    #expect(
      last.prefix(KeyRow.keyLength).lexicographicallyPrecedes(row.bytes.prefix(KeyRow.keyLength)))
  }

  @Test func `rejects come back with whatever bytes the line had`() throws {
    for (index, text) in sampleTexts.enumerated() {
      let reject = RejectRow(
        position: Position(source: UInt32(index), line: .max), byteOffset: .max,
        code: .recordMalformedJSON, reason: text,
        head: [UInt8](repeating: 0xFF, count: [0, 1, 256][index % 3]))
      try reject.write(row)
      #expect(try withRow(row.bytes) { unsafe try RejectRow($0, texts) } == reject)
    }
  }

  @Test func `verdicts come back, full and empty`() throws {
    let empty = VerdictRow(position: Position(source: 1, line: 2), verdict: .skipped, codes: [])
    try empty.write(row)
    #expect(try withRow(row.bytes) { unsafe try VerdictRow($0, texts) } == empty)
    for (index, text) in sampleTexts.enumerated() {
      let verdict = VerdictRow(
        time: .min, kind: .assertion, keyID: digest(1), appID: text,
        clientDataHash: [UInt8](repeating: 1, count: 255), counter: .max,
        position: Position(source: .max, line: .max),
        verdict: Verdict.allCases[index % 7], codes: FindingCode.allCases,
        decision: [.unknown, .accepted, .rejected][index % 3], subject: text, requestID: text,
        detail: text, category: ValidationCategory(rawValue: .max),
        bundleVersion: text, codeHash: [UInt8](repeating: 3, count: [0, 20, 255][index % 3]))
      try verdict.write(row)
      #expect(try withRow(row.bytes) { unsafe try VerdictRow($0, texts) } == verdict)
    }
  }
}
