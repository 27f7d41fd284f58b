import AppAttest
import Foundation
import TestSupport
import Testing

/// The things that `init` does not believe a log: apps and environments that hardly anybody uses,
/// or that the server turns away. Its rules also read places that they have not seen, such as a new
/// endpoint.
struct EndInitTrustTests {
  private static let game = "SYNTH00002.org.example.synthetic.game"
  private static let bank = "SYNTH00001.com.example.synthetic.bank"

  private let scratch: Scratch

  /// Forges a clean day of two apps behind a gateway.
  init() throws {
    scratch = try Scratch()
    let forged = try Program.forge(
      [
        "--schema", "device-integrity", "--clean", "--keys", "40", "--assertions", "200",
        "--seed", "5", "--out", "day",
      ], in: scratch.path)
    #expect(forged.status == 0, "\(forged.errors)")
  }

  /// The day's lines, without the marks and line ends of their files.
  private var lines: [String] {
    get throws {
      try scratch.contents("day/logs").sorted().flatMap { name in
        try Packed.unpack(scratch.bytes("day/logs/\(name)")).split(separator: 0x0A)
          .map { line in
            let end = line.last == 0x0D ? line.dropLast() : line
            return String(
              decoding: end.starts(with: [0xEF, 0xBB, 0xBF]) ? end.dropFirst(3) : end,
              as: UTF8.self)
          }.filter { !$0.isEmpty }
      }
    }
  }

  /// Returns the pipeline file that `init` writes for a log.
  private func pipeline(_ lines: [String], status: Int32? = 0) throws -> String {
    try scratch.write("log.jsonl", lines.map { $0 + "\n" }.joined())
    let outcome = try Program.run(
      [
        "init", "log.jsonl", "--out", "p.yaml", "--overwrite", "--trust-anchor",
        "day/anchors/synthetic-attestation-root.pem", "--receipt-anchor",
        "day/anchors/synthetic-receipt-root.pem",
      ], in: scratch.path)
    #expect(
      outcome.status == status ?? outcome.status && outcome.status < 2,
      "\(outcome.errors)\(outcome.output)")
    return String(decoding: try scratch.bytes("p.yaml"), as: UTF8.self)
  }

  @Test func `lines with tokens of both kinds change no rule`() throws {
    let lines = try lines
    let attestation = try #require(lines.first { $0.contains("attestation\\\":") })
    let assertion = try #require(lines.first { $0.lowercased().contains("\"x-app-assertion\"") })
    func object(_ line: String) throws -> [String: Any] {
      try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    var both = try object(assertion)
    let body = try #require(try object(attestation)["body"] as? String)
    both["body"] = body.dropLast() + ",\"amount\":5}"
    let line = String(decoding: try JSONSerialization.data(withJSONObject: both), as: UTF8.self)
    func rules(_ text: String) -> [Substring] {
      text.split(separator: "\n").filter { $0.contains("- {pointer:") }
    }
    let alone = try rules(pipeline(lines))
    #expect(!alone.isEmpty)
    let few = (0..<3).map { line.replacing("\"amount\\\":5", with: "\"amount\\\":\($0)") }
    // Both rules fit them: they are findings, and no records.
    #expect(try rules(pipeline(lines + few, status: 1)) == alone)
  }

  private static func isOf(_ app: String, _ line: String) -> Bool {
    let hash = Digest256.sha256(Array(app.utf8).span)
    return line.matches(of: #/"(?:X-App-Assertion|x-app-assertion|X-APP-ASSERTION)":"([^"]+)"/#)
      .contains { match in
        guard let bytes = Data(base64Encoded: String(match.1)) else { return false }
        return (try? Assertion.parse(Array(bytes).span))?.rpIDHash == hash
      } || line.contains("attestation\\\":") && line.contains(app)
  }

  private func attestation(of app: String, _ line: String) throws -> Bool {
    guard let match = line.firstMatch(of: #/\\"attestation\\":\\"([^\\]+)\\"/#),
      let bytes = Data(
        base64Encoded: String(match.1).replacing("-", with: "+").replacing("_", with: "/"))
    else { return false }
    return try AttestationObject.parse(Array(bytes).span).authenticatorData.rpIDHash
      == .sha256(Array(app.utf8).span)
  }

  @Test func `two accepted tokens of an attacker's app are not trusted`() throws {
    let lines = try lines
    let own = try lines.filter { try attestation(of: Self.bank, $0) || Self.isOf(Self.bank, $0) }
    // One that signs with the key of the other: a record is verified by its key's attestation.
    func key(_ line: String) -> Substring? {
      line.firstMatch(of: #/(?:\\"key_id\\":\\"|"(?i:x-app-key-id)":")([^"\\]+)/#)?.1
    }
    let assertions = lines.filter { Self.isOf(Self.game, $0) && !$0.contains("attestation\\\":") }
    let attacker = try #require(
      try lines.filter { try attestation(of: Self.game, $0) }.lazy.compactMap { attestation in
        assertions.first { key($0) == key(attestation) }.map { [attestation, $0] }
      }.first)
    #expect(own.count > 60)
    let text = try pipeline(own + attacker)
    #expect(text.contains("  - id: \(Self.bank)\n    # attestations that verified: "))
    #expect(!text.contains("\n  - id: \(Self.game)\n"))
    #expect(
      text.contains(
        #/  # left out: 2 of \d+ verified records are of this app\. Only if the app is yours, add it:\n/#
      ),
      "\(text.prefix(1500))")
    #expect(text.contains("add it:\n  # - id: \(Self.game)\n"))
    let check = try Program.run(["check", "p.yaml"], in: scratch.path)
    #expect(check.status == 0 && !check.output.contains(Self.game))
  }

  @Test func `one token of an attacker's app is left to the user, with its counts`() throws {
    let lines = try lines
    let own = try lines.filter { try attestation(of: Self.bank, $0) || Self.isOf(Self.bank, $0) }
    let total = own.count + 1
    let attested = try #require(try lines.first { try attestation(of: Self.game, $0) })
    var text = try pipeline(own + [attested])
    #expect(
      text.contains(#/  # left out: 1 of \d+ verified records are of this app/#),
      "\(text.prefix(1500))")
    // An assertion does not say its App ID.
    let asserted = try #require(lines.first { Self.isOf(Self.game, $0) })
    text = try pipeline(own + [asserted])
    let hash = Digest256.sha256(Array(Self.game.utf8).span).bytes
      .map { String(format: "%02x", $0) }.joined()
    #expect(
      text.contains(
        "  # left out: no line names the app of 1 of \(total) tokens. Only if it is yours, add its "
          + "App ID, of the SHA-256 \(hash)\n"), "\(text.prefix(1500))")
    let check = try Program.run(["check", "p.yaml"], in: scratch.path)
    #expect(check.status == 0 && !check.output.contains(Self.game))
  }

  @Test func `requests that the server rejected need no app (records.R96)`() throws {
    let lines = try lines
    func records(_ lines: [String]) throws -> Int {
      let text = try pipeline(lines)
      #expect(!text.contains("\n  - id: \(Self.game)\n"))
      let match = text.firstMatch(of: #/left out: (\d+) of \d+ verified records are of this app/#)
      return try #require(match.flatMap { Int($0.1) })
    }
    let rejected = lines.map { line in
      Self.isOf(Self.game, line) ? line.replacing("\"status\":200", with: "\"status\":403") : line
    }
    #expect(try records(rejected) < records(lines))
  }

  /// Changes the status of the lines to this one, or removes it with `none`.
  @Test(arguments: ["403", "499", "408", "500", "302", "null", "none"])
  func `requests that the server did not accept do not say where tokens stand`(status: String)
    throws
  {
    let lines = try lines
    let moved = lines.filter { $0.lowercased().contains("\"x-app-assertion\"") }.map {
      $0.replacing(#/(?i)x-app-assertion/#, with: "A-Token")
        .replacing(#/(?i)x-app-key-id/#, with: "A-Key")
    }
    #expect(moved.count == 200)
    #expect(try pipeline(lines + moved).contains("/headers/A-Token"))
    func answered(_ lines: [String]) -> [String] {
      lines.map {
        $0.replacing("\"status\":200", with: status == "none" ? "\"n\":1" : "\"status\":\(status)")
      }
    }
    let text = try pipeline(lines + answered(moved), status: 1)
    #expect(!text.contains("/headers/A-") && text.contains("/headers/X-App-Assertion"))
    // Also where no attestation was accepted.
    let unattested = lines.map { line in
      line.contains("attestation\\\":") ? answered([line])[0] : line
    }
    let half = try pipeline(unattested + answered(moved), status: nil)
    #expect(!half.contains("token: [") && half.contains("/headers/X-App-Assertion"))
    // Nor does a header that no pipeline file may name keep one from being written.
    let numbered = moved.map { $0.replacing("\"A-Token\"", with: "\"0\"") }
    let other = try pipeline(lines + answered(numbered), status: 1)
    #expect(other.contains("/headers/X-App-Assertion") && !other.contains("/headers/0"))
  }

  @Test func `copies of one receipt do not say what zone a log's times are of`() throws {
    let local = try lines.map {
      $0.replacing(#/("time":"[^"]+)Z"/#) { "\($0.1)\"" }
        .replacing("\"status\":200", with: "\"n\":1")
    }
    let early = try #require(
      local.first { $0.contains("attestation\\\":") && $0.contains(#/"time":"[^"T]+T0[0-9]:/#) })
    let copies = (0..<100).map { number in
      early.replacing(#/("time":"[^"T]+T)0([0-9])/#) { "\($0.1)1\($0.2)" }
        .replacing("\"n\":1", with: "\"n\":\(number)")
    }
    let text = try pipeline(local + copies, status: nil)
    #expect(text.contains("zone: UTC}") && text.contains("UTC by 40 of 40 receipts"))
  }

  @Test func `a new endpoint is audited from its first day`() throws {
    let lines = try lines
    _ = try pipeline(lines)
    let renamed = lines.map {
      $0.replacing("\"path\":\"/v1/", with: "\"path\":\"/v2/new/").replacing(
        "/attest/verify", with: "/v2/keys")
    }
    try scratch.write("log.jsonl", renamed.map { $0 + "\n" }.joined())
    let audit = try Program.run(
      ["audit", "--pipeline", "p.yaml", "--out", "report", "--attestation-max-age", "2d"]
        + EndInitTests.everyApp, in: scratch.path)
    #expect(audit.status == 0, "\(audit.errors)\(audit.output)")
    let summary = try scratch.report("report").summary
    #expect(summary.records["attestations"] == 40)
    #expect(summary.records["assertions"] == 200)
  }

  /// Audits `log.jsonl` with one of the two apps.
  private func auditOfBank(jobs: Int = 2) throws -> Program.Outcome {
    try Program.run(
      [
        "audit", "log.jsonl", "--schema", "device-integrity", "--app-id", Self.bank, "--quiet",
        "--trust-anchor", "day/anchors/synthetic-attestation-root.pem", "--jobs", "\(jobs)",
      ], in: scratch.path)
  }

  @Test func `apps that are not configured are told once`() throws {
    try scratch.write("log.jsonl", try lines.map { $0 + "\n" }.joined())
    let outcome = try auditOfBank()
    #expect(outcome.status == 1)
    let notice = try #require(
      outcome.errors.firstMatch(
        of:
          #/^attest-audit: notice: (\d+) records are of apps that are not configured: (.*) \((\d+)\); if an app is yours, name it with --app-id, or under apps in the pipeline file\n$/#
      ), "\(outcome.errors)")
    #expect(notice.2 == Self.game[...])
    #expect(notice.1 == notice.3)
    let count = try lines.count { try attestation(of: Self.game, $0) || Self.isOf(Self.game, $0) }
    #expect(Int(notice.1) == count)
    #expect(try auditOfBank(jobs: 1).errors == outcome.errors)
  }

  @Test func `apps whose requests were all refused are not told of`() throws {
    let refused = try lines.map { $0.replacing(/"status":\d+/, with: "\"status\":403") + "\n" }
    try scratch.write("log.jsonl", refused.joined())
    #expect(try auditOfBank().errors == "")
  }
}
