import Foundation
import TestSupport
import Testing

/// The genuine vectors, written as one log and audited by the built program. They lie outside the
/// repository, and these tests are skipped where they are absent.
@Suite(.enabled(if: EndVector.isPresent, "the genuine vectors are not beside this package"))
struct EndGenuineTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// Audits `vectors` as one log, a line for each, with the key that no attestation is published
  /// for among the known ones.
  private func audit(
    _ vectors: [EndVector], _ flags: String..., times: [String: String] = [:]
  ) throws -> (status: Int32, report: ReportFolder) {
    try scratch.write("log.jsonl", EndVector.log(vectors, times: times))
    try scratch.write("keys.jsonl", try EndVector.knownKeys())
    let apps = Set(EndVector.all.compactMap(\.appId)).sorted().flatMap { ["--app-id", $0] }
    let outcome = try Program.run(
      ["audit", "log.jsonl", "--keys", "keys.jsonl", "--out", "report", "--overwrite"]
        + ["--verdicts", "--quiet"] + apps + flags, in: scratch.path)
    #expect(outcome.errors == "")
    #expect(outcome.output == "")
    return (outcome.status, scratch.report())
  }

  /// The findings by the vectors' names, sorted: `name: code`.
  private func named(_ report: ReportFolder, _ vectors: [EndVector]) throws -> [String] {
    try report.findingRows.map { row in
      let line = try #require(Int(row["line"] ?? ""))
      return "\(vectors[line - 1].name): \(row["code"] ?? "")"
    }.sorted()
  }

  /// When Apple signed the receipt of each attestation, by key identifier in hex.
  private func signedTimes(_ vectors: [EndVector]) throws -> [String: String] {
    let (_, report) = try audit(vectors, "--environment", "any")
    return Dictionary(
      uniqueKeysWithValues: try report.keyRows.compactMap { row in
        guard let key = row["key_id"], let time = row["receipt_created"], !time.isEmpty else {
          return nil
        }
        return (key, time)
      })
  }

  /// Client data of fewer than 16 bytes is weak (detection.R45), and one challenge for all keys of a test suite is a
  /// replay across keys (detection.R41): that much is true of these logs.
  private static func weakAndShared(_ vectors: [EndVector], scope: String) -> [String] {
    let weak = vectors.filter {
      $0.clientDataHashFormation == "sha256(clientData)"
        && Data(base64Encoded: $0.clientDataBase64 ?? "")?.count ?? 16 < 16
    }.map { "\($0.name): challenge.weak" }
    guard scope == "global" else { return weak }
    let suite = vectors.filter { $0.name.hasPrefix("veehaitch") }
    var seen: Set<String> = []
    let shared = suite.sorted { $0.time < $1.time }
      .filter { !seen.insert($0.kind).inserted }
      .map { "\($0.name): replay.cross_key" }
    return weak + shared
  }

  /// The changes of the publishers: a receipt that was removed is missing, and one key was attested twice.
  private static func published(_ vectors: [EndVector]) -> [String] {
    vectors.filter { $0.receipt == "absent" }.map { "\($0.name): attestation.receipt_invalid" }
      + vectors.flatMap { vector in
        (vector.expectedCodes?.must ?? []).map { "\(vector.name): \($0)" }
      }
  }

  @Test(arguments: ["global", "key"])
  func `genuine records are valid at the time that Apple signed`(_ scope: String) throws {
    let vectors = EndVector.records.filter { $0.expected == "valid" }
    #expect(vectors.count { $0.kind == "attestation" } >= 23)
    #expect(vectors.count { $0.kind == "assertion" } >= 15)
    let times = try signedTimes(vectors)
    let (status, report) = try audit(
      vectors, "--environment", "any", "--replay-scope", scope, times: times)
    let expected = Self.weakAndShared(vectors, scope: scope) + Self.published(vectors)
    #expect(try named(report, vectors) == expected.sorted())
    #expect(status == (scope == "global" ? 1 : 0))
    let rows = try report.verdictRows
    #expect(rows.count == vectors.count)
    // All verified; flagged are those whose challenges are weak or shared.
    for row in rows {
      let codes = row["codes"] ?? ""
      let isFailed = codes.contains("receipt_invalid")
      #expect(row["verdict"] == (isFailed ? "failed" : codes == "" ? "valid" : "flagged"))
    }
    let summary = try report.summary
    let keys = Set(vectors.filter { $0.kind == "attestation" }.compactMap(\.keyId))
    #expect(summary.keys["attested"] == keys.count)
    #expect(summary.keys["imported"] == 1)
    #expect(summary.keys["untrusted"] == 0)
    #expect(summary.keys["unknown"] == 0)
    for row in try report.keyRows where row["status"] == "attested" {
      let isPublished = !vectors.contains { $0.keyHex == row["key_id"] && $0.receipt == "absent" }
      #expect(row["receipt_type"] == (isPublished ? "ATTEST" : ""))
      #expect(row["os_version"] != "")
    }
  }

  @Test func `development vectors are no keys of a production app`() throws {
    let vectors = EndVector.records.filter { $0.expected == "valid" }
    let times = try signedTimes(vectors)
    let (status, report) = try audit(
      vectors, "--environment", "production", "--replay-scope", "key", times: times)
    #expect(status == 1)
    let development = vectors.filter { $0.kind == "attestation" && $0.environment == "development" }
    #expect(development.count >= 10)
    let production = vectors.filter { $0.kind == "attestation" && $0.environment == "production" }
    #expect(production.count >= 3)
    let keys = Set(development.compactMap(\.keyId))
    let orphans = vectors.filter { $0.kind == "assertion" && keys.contains($0.keyId ?? "") }
    #expect(
      try named(report, vectors)
        == (development.map { "\($0.name): attestation.environment_mismatch" }
        + orphans.map { "\($0.name): key.untrusted" }
        + Self.published(vectors.filter { !keys.contains($0.keyId ?? "") })
        + Self.weakAndShared(vectors, scope: "key")).sorted())
    #expect(try report.summary.keys["attested"] == Set(production.map(\.keyId)).count)
    #expect(try report.summary.keys["untrusted"] == keys.count)
  }
}

/// A genuine vector as a line of a log.
typealias EndVector = VectorFile

extension VectorFile {
  /// Attestations and assertions; receipts alone are no records.
  static let records = all.filter { $0.kind != "receipt" }

  /// The identifier in hex, as reports have it.
  var keyHex: String {
    Data(base64Encoded: keyId ?? "")!.map { String(format: "%02x", $0) }.joined()
  }

  /// When the record was made, or `verifiedAt`; of an older assertion, a minute after that of its
  /// attestation.
  var time: Date {
    if let recordedAt { return Self.date(recordedAt) }
    let attestation = Self.all.first { $0.name == attestationVector }
    guard let text = verifiedAt ?? attestation?.verifiedAt else {
      return Date(timeIntervalSince1970: 1_707_000_000)
    }
    let date = Self.date(text)
    return kind == "assertion" ? date + 60 : date
  }

  /// A log with a line for each vector. `times` are those of older attestations, RFC 3339, by key
  /// identifier in hex, in place of `verifiedAt`.
  static func log(_ vectors: [EndVector], times: [String: String]) throws -> String {
    try vectors.map { try $0.line(times) + "\n" }.joined()
  }

  private func line(_ times: [String: String]) throws -> String {
    var time = time
    if recordedAt == nil, let signed = times[keyHex],
      attestationVector != nil || kind == "attestation"
    {
      time = Self.date(signed) + (kind == "assertion" ? 60 : 0)
    }
    var fields: [String: Any] = [
      "kind": kind, "token": token, "keyId": keyId!,
      "time": Int64((time.timeIntervalSince1970 * 1000).rounded()),
    ]
    if let appId { fields["appId"] = appId }
    if clientDataHashFormation == "sha256(clientData)" {
      fields["clientData"] = clientDataBase64
    } else {
      fields["clientDataHash"] =
        clientDataHashBase64 ?? Data(repeating: 7, count: 32).base64EncodedString()
    }
    let data = try JSONSerialization.data(
      withJSONObject: fields, options: [.sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data, as: UTF8.self)
  }

  /// The keys of assertions whose attestation is not published, as JSON Lines.
  static func knownKeys() throws -> String {
    try all.filter { $0.kind == "assertion" && $0.attestationVector == nil }.map { vector in
      let data = try JSONSerialization.data(withJSONObject: [
        "keyId": vector.keyId!, "publicKey": vector.publicKeyX962Base64!, "appId": vector.appId!,
      ])
      return String(decoding: data, as: UTF8.self) + "\n"
    }.joined()
  }
}
