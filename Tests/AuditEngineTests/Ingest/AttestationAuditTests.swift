import AppAttest
import AuditLog
import Files
import Foundation
import LogForge
import SignatureBatch
import TestSupport
import Testing

@testable import AuditEngine

/// A record as a reader hands it on, with the bytes that its ranges are into.
private struct ReadRecord {
  var record: Record
  private(set) var bytes: [UInt8]

  /// Reads a line of the default schema. Returns nil for a line that is not a record.
  init?(line: String) {
    let reader = RecordReader(isAppAttestObject: AppAttestSniffer.isAppAttestObject)
    var buffer = ByteBuffer()
    let outcome = withLine(Array(line.utf8)) { unsafe reader.read($0, into: &buffer) }
    guard case .record = outcome else { return nil }
    record = reader.record
    bytes = Array(buffer.storage[..<buffer.count])
  }

  var token: [UInt8] {
    get { Array(bytes[record.token]) }
    set {
      record.token = bytes.count..<(bytes.count + newValue.count)
      bytes += newValue
    }
  }
}

/// Attestations that wait and are judged together.
struct AttestationAuditTests {
  private static let day = made { try SyntheticDay(keys: 24, assertions: 1, seed: 9) }

  private let verifier: AttestationVerifier
  private let records: [ReadRecord]

  init() throws {
    let apps = [SyntheticApp.bank, .game].map {
      AppPolicy(id: $0.id, environments: [.production, .development])
    }
    verifier = try Self.day.verifier(apps)
    let teacher = try Self.day.verifier(apps)
    let attestations = Self.day.lines.compactMap { ReadRecord(line: $0) }
      .filter { $0.record.kind == .attestation }
    #expect(attestations.count == 24)
    for staged in attestations { _ = try Self.judge(staged, teacher) }
    // All have the ordinary form, whether their receipts have signed attributes or not.
    records = attestations
    for staged in attestations {
      let (draft, bytes, record) = try Self.parts(staged)
      #expect(teacher.read(token: bytes.span.extracting(draft.record.token), of: record) != nil)
    }
  }

  /// Returns the record's parts as the decoder hands them on.
  private static func parts(
    _ staged: ReadRecord
  ) throws -> (draft: EventDraft, bytes: [UInt8], record: AttestationRecord) {
    var buffer = ByteBuffer()
    buffer.append(staged.bytes.span)
    let hash = ClientDataHash(staged.record, &buffer)
    let bytes = Array(buffer.storage[..<buffer.count])
    let keyID = try #require(staged.record.keyID.flatMap { Digest256(bytes[$0].span) })
    let draft = EventDraft(
      record: staged.record, keyID: keyID, hash: hash, position: Position(source: 0, line: 1))
    let appID = staged.record.appID.map { String(decoding: bytes[$0], as: UTF8.self) }
    return (
      draft, bytes,
      AttestationRecord(
        keyIdentifier: keyID, clientDataHash: Array(bytes[hash.range]), appID: appID,
        time: staged.record.time)
    )
  }

  private func judge(_ staged: ReadRecord) throws -> JudgedAttestation? {
    try Self.judge(staged, verifier)
  }

  private static func judge(
    _ staged: ReadRecord, _ verifier: AttestationVerifier
  ) throws -> JudgedAttestation? {
    let (draft, bytes, record) = try parts(staged)
    let token = bytes.span.extracting(draft.record.token)
    guard case .judged(let judged) = verifier.judge(token: token, of: record) else { return nil }
    return judged
  }

  /// Judges all records in an audit, and returns the judgements and the number of records it took.
  private func settle(
    _ audit: AttestationAudit, _ records: [ReadRecord]
  ) throws -> (judged: [JudgedAttestation], taken: Int) {
    var taken = 0
    for staged in records {
      let (draft, bytes, record) = try Self.parts(staged)
      if audit.take(draft, bytes.span, record) { taken += 1 }
    }
    var all: [JudgedAttestation] = []
    try audit.judge { _, _, judgement in
      if case .judged(let judged) = judgement { all.append(judged) }
    }
    return (all, taken)
  }

  /// Returns the record with the last byte of the leaf's signature changed in its token.
  private func changed(_ staged: ReadRecord) throws -> ReadRecord {
    var copy = staged
    var token = staged.token
    // The leaf is the first certificate: 30 82 length, behind the head of its byte string.
    let start = try #require(
      token.indices.first { token[$0...].starts(with: [0x59]) && token[$0 + 3] == 0x30 })
    let length = Int(token[start + 1]) << 8 | Int(token[start + 2])
    token[start + 3 + length - 1] ^= 1
    copy.token = token
    return copy
  }

  /// A kernel that says the same of every signature.
  private func saying(_ verdict: BatchVerdict) -> (SigningKey, [UInt8]) -> [BatchVerdict] {
    { Array(repeating: verdict, count: $1.count / (3 * $0.curve.numberBytes)) }
  }

  @Test func `nobody waits under an issuer that is not known yet`() throws {
    let audit = AttestationAudit(
      verifier, kernel: TableKernel(SigningKeyTables()).judge, crossCheck: 0)
    #expect(try settle(audit, records).taken == 0)
  }

  @Test func `batches come to what OpenSSL says`() throws {
    let expected = try records.map { try #require(try judge($0)) }
    #expect(expected.allSatisfy { $0.verified != nil })
    for crossCheck in [0, 1.0] {
      let audit = AttestationAudit(
        verifier, kernel: TableKernel(SigningKeyTables()).judge, crossCheck: crossCheck)
      let (judged, taken) = try settle(audit, records)
      #expect(taken == records.count && judged == expected)
      #expect(try settle(audit, []).judged.isEmpty)
    }
  }

  /// Judges changed attestations: `ATTESTATION_MUTANTS` sets their number, `ATTESTATION_SEED` the
  /// start.
  @Test func `mutated attestations are judged as OpenSSL judges each by itself`() throws {
    func setting(_ name: String) -> Int? {
      ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
    for record in records { _ = try judge(record) }
    let tables = SigningKeyTables()
    var random = Generator(UInt64(setting("ATTESTATION_SEED") ?? 1))
    let tokens = records.map(\.token)
    var (left, taken, failed) = (setting("ATTESTATION_MUTANTS") ?? 600, 0, 0)
    while left > 0 {
      let audit = AttestationAudit(verifier, kernel: TableKernel(tables).judge, crossCheck: 0)
      var expected: [JudgedAttestation] = []
      for _ in 0..<min(left, 200) {
        let index = random.below(records.count)
        var (mutant, token) = (records[index], tokens[index])
        if !random.once(in: 8) { random.mutate(&token, of: tokens) }
        mutant.token = token
        let (draft, bytes, record) = try Self.parts(mutant)
        guard audit.take(draft, bytes.span, record) else { continue }
        expected.append(try #require(try judge(mutant)))
      }
      let judged = try settle(audit, []).judged
      #expect(judged == expected)
      taken += expected.count
      failed += expected.count { !$0.failures.isEmpty }
      left -= 200
    }
    #expect(taken > 0 && failed > 0 && failed < taken)
  }

  @Test func `what is left undecided is OpenSSL's to judge`() throws {
    let expected = try records.map { try #require(try judge($0)) }
    let audit = AttestationAudit(verifier, kernel: saying(.undecided), crossCheck: 0)
    #expect(try settle(audit, records).judged == expected)
  }

  @Test func `a rejection that OpenSSL does not confirm stops the run`() throws {
    for record in records { _ = try judge(record) }
    let audit = AttestationAudit(verifier, kernel: saying(.invalid), crossCheck: 0)
    let error = #expect(throws: AuditError.self) { try settle(audit, records) }
    #expect(error?.code == .inconsistent)
    #expect(error?.context.contains("although a signature was rejected") == true)
  }

  @Test func `a false acceptance that is examined again stops the run`() throws {
    for record in records { _ = try judge(record) }
    let wrong = try records.map { try changed($0) }
    let audit = AttestationAudit(verifier, kernel: saying(.valid), crossCheck: 1)
    let error = #expect(throws: AuditError.self) { try settle(audit, wrong) }
    #expect(error?.code == .inconsistent)
    #expect(error?.context.contains("judged otherwise") == true)
  }
}
