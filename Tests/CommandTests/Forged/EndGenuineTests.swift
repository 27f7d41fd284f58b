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

  /// `verifiedAt` of three vectors is only a time at which their certificates hold: hours from the
  /// time that Apple signed, which the audit says.
  @Test func `a time that is not Apple's disagrees`() throws {
    let vectors = EndVector.records.filter { $0.expected == "valid" }
    let (_, report) = try audit(vectors, "--environment", "any", "--replay-scope", "key")
    let disagreeing = ["apple-guide-2024", "bas-d-att", "predicat-dev-att"]
      .map { "\($0): attestation.time_disagrees" }
    #expect(
      try named(report, vectors)
        == (Self.weakAndShared(vectors, scope: "key") + Self.published(vectors) + disagreeing)
        .sorted())
    // A clock that is wrong does not make a key untrusted.
    #expect(try report.summary.keys["untrusted"] == 0)
    #expect(try report.summary.verdicts["unverifiable"] == 0)
  }

  @Test func `who checks the signatures of genuine assertions changes nothing`() throws {
    let vectors = EndVector.records
    let (_, batch) = try audit(vectors, "--environment", "any", "--cross-check", "100%")
    let lasting = try batch.lasting
    #expect(try batch.summary.run.signatures["batch"] ?? 0 >= 9)
    let (_, openssl) = try audit(vectors, "--environment", "any", "--verifier", "openssl")
    #expect(try openssl.lasting == lasting)
    #expect(try openssl.summary.run.signatures["batch"] == 0)
  }

  @Test func `the corrupted copies are malformed`() throws {
    let vectors = EndVector.all.filter { $0.expected.hasPrefix("malformed") }
    #expect(vectors.count == 2)
    let (status, report) = try audit(vectors, "--environment", "any")
    #expect(status == 1)
    #expect(try named(report, vectors) == vectors.map { "\($0.name): attestation.malformed" })
    #expect(try report.verdictRows.map { $0["verdict"] } == ["failed", "failed"])
    #expect(try report.summary.keys["untrusted"] == 2)
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

  @Test func `each vector has the codes that its file expects, and no others of its families`()
    throws
  {
    // The clock of the leaf's serial number is enough where receipts are ignored (verification.R43).
    let vectors = EndVector.records.filter { $0.expectedCodes != nil }
    #expect(vectors.count >= 17)
    let (_, report) = try audit(
      vectors, "--environment", "any", "--replay-scope", "key", "--receipts", "ignore")
    let found = try report.verdictRows.map {
      $0["codes"]?.split(separator: ";").map(String.init) ?? []
    }
    for (vector, codes) in zip(vectors, found) {
      let expected = try #require(vector.expectedCodes)
      #expect(Set(expected.must).isSubset(of: codes), "\(vector.name)")
      for family in expected.mustNot {
        let prefix = family.prefix { $0 != "*" }
        #expect(!codes.contains { $0.hasPrefix(prefix) }, "\(vector.name): \(codes)")
      }
    }
  }

  @Test func `verdicts have the values that Apple's system signed`() throws {
    // verification.R39; reports.R36.
    let vectors = EndVector.records.filter {
      $0.name.contains("iphone27") || $0.name.contains("mac27")
    }
    let (_, report) = try audit(
      vectors, "--environment", "any", "--replay-scope", "key", "--receipts", "ignore")
    let rows = Dictionary(
      uniqueKeysWithValues: zip(vectors.map(\.name), try report.verdictRows))
    for (name, row) in rows {
      #expect(row["code_hash"]?.count == 64, "\(name)")
      #expect((row["bundle_version"] == "") == name.contains("mac27"), "\(name)")
      #expect(row["category"] != "", "\(name)")
    }
    func hash(_ name: String) -> String? { rows["amiller-\(name)"]?["code_hash"] }
    #expect(hash("iphone27-row01-att-honest") == hash("iphone27-row05-assert-honest"))
    #expect(hash("iphone27-row01-att-honest") != hash("iphone27-row04-assert-modified"))
    #expect(hash("mac27-fresh-apple-assert") == hash("mac27-fresh-apple-restored"))
    #expect(hash("mac27-fresh-apple-assert") != hash("mac27-fresh-apple-modified"))
  }
}
