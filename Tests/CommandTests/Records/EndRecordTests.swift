import Foundation
import TestSupport
import Testing

/// Changes that a client can make to the bytes, names and paths of its requests.
@Suite struct EndRecordTests {
  let audit: EndAudit
  let day = SyntheticDay.shared

  init() throws { audit = try EndAudit() }

  /// Returns an accepted assertion of the day again, a minute later, with some members changed.
  /// `nil` removes a member.
  private func replay(_ changes: [String: Any?]) throws -> String {
    let again: [String: Any?] = ["decision": "accepted", "requestId": "again"]
    return try day.line(7, again.merging(changes) { $1 })
  }

  /// The token of that assertion, in base64 with padding.
  private var token: String {
    get throws {
      let record = try JSONSerialization.jsonObject(with: Data(day.lines[7].utf8))
      let text = try #require((record as? [String: Any])?["token"] as? String)
      let plain = text.replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
      return plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    }
  }

  /// Expects a line behind the day to be found with these codes, and no other.
  private func expect(
    _ line: String, finds codes: [String], status: Int32 = 1,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try audit.scratch.write("a.jsonl", day.log() + Array((line + "\n").utf8))
    let outcome = try audit.run("a.jsonl", "--quiet")
    #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: sourceLocation)
    let found = try audit.report.findingRows.filter { $0["line"] == "34" }
      .map { "\($0["severity"] ?? "") \($0["code"] ?? "")" }.sorted()
    #expect(found == codes.sorted(), "\(line)", sourceLocation: sourceLocation)
  }

  @Test(
    .disabled("states the second edition of the contract"),
    arguments: [
      ("line break", false), ("mark", true), ("padding", true), ("tag", false), ("mixed", true),
      ("percent", true),
    ])
  func `no other platform and no odd encoding hides a replay`(_ way: String, _ isOdd: Bool) throws {
    let text = try token
    let odd: String
    switch way {
    case "line break": odd = text.prefix(40) + "\r\n" + text.dropFirst(40)
    case "mark": odd = text.prefix(40) + "!" + text.dropFirst(40)
    case "padding": odd = text + "="
    case "percent": odd = "%" + String(text.utf8.first ?? 0, radix: 16) + text.dropFirst()
    case "mixed": odd = text + "=-+"
    default:
      let bytes = try #require(Data(base64Encoded: text))
      odd = (Data([0xD9, 0xD9, 0xF7]) + bytes).base64EncodedString()
    }
    let codes = ["critical replay.assertion"] + (isOdd ? ["low record.odd_encoding"] : [])
    try expect(try replay(["token": odd]), finds: codes)
    try expect(
      try replay(["token": odd, "platform": "android"]),
      finds: codes + ["medium record.platform_mismatch"])
    try expect(
      try replay(["token": odd, "format": "x"]), finds: codes + ["medium record.platform_mismatch"])
  }

  @Test func `no reading of a percent sign hides a replay`() throws {
    let text = try token
    for place in [11, 40] {
      let odd = String(text.prefix(place)) + "%" + String(text.dropFirst(place))
      try expect(
        try replay(["token": odd, "platform": "android"]),
        finds: [
          "critical replay.assertion", "low record.odd_encoding", "medium record.platform_mismatch",
        ])
    }
  }

  @Test(.disabled("states the second edition of the contract"))
  func `a token under another name is told of in any encoding`() throws {
    let text = try token
    let bytes = try #require(Data(base64Encoded: text))
    func with(_ part: String, at place: Int) -> String {
      String(text.prefix(place)) + part + String(text.dropFirst(place))
    }
    let open: Data = Data([0xBF]) + bytes.dropFirst() + Data([0xFF])
    let spellings: [String] = [
      with("\n", at: 4), with("!", at: 3), with(" ", at: 2), "%6f" + String(text.dropFirst()),
      open.base64EncodedString(),
    ]
    for odd in spellings {
      try expect(
        try replay(["token": nil, "Token": odd, "platform": "android"]),
        finds: ["high record.not_audited"])
    }
  }

  @Test(
    .disabled("states the second edition of the contract"),
    arguments: [
      "\"kind\":\"challenge\",\"Token\":\"%\"", "\"kind\":\"challenge\",\"attestation\":\"%\"",
      "\"attestation\":\"%\"", "\"body\":\"{\\\"keyId\\\":\\\"x\\\",\\\"token\\\":\\\"%\\\"}\"",
    ])
  func `what hands out a challenge hides no token`(_ members: String) throws {
    let line =
      "{\"time\":\"2026-03-01T12:00:00Z\",\"challenge\":\"c-1\","
      + members.replacing("%", with: try token) + "}\n"
    try audit.scratch.write("a.jsonl", line)
    let outcome = try audit.run("a.jsonl")
    #expect(outcome.status == 1)
    #expect(try audit.report.findings == ["high record.not_audited a.jsonl:1"])
    let records = try audit.report.summary.records
    #expect(records["challenges"] == 0 && records["notAudited"] == 1 && records["skipped"] == 1)
  }

  @Test(
    .disabled("states the second edition of the contract"),
    arguments: ["/attest/./verify", "/attest/verify;v=1"])
  func `a route that is none hides no attestation with a line break`(_ path: String) throws {
    let body = "{\"attestation\":\"o2N\\nmbXRvYXBwbGUtYXBwYXR0ZXN0\"}"
    let inner = "\"{\\\"attestation\\\":\\\"o2N\\\\nmbXRvYXBwbGUtYXBwYXR0ZXN0\\\"}\""
    #expect(try auditGateway(gateway(path, body) + gateway(path, inner)).status == 1)
    let rows = try audit.report.findingRows
    #expect(rows.map { "\($0["code"] ?? "") \($0["count"] ?? "")" } == ["record.not_audited 2"])
  }

  @Test(.disabled("states the second edition of the contract"))
  func `a request that lost its token mints no challenge`() throws {
    let challenge = "\"time\":1772337786655,\"challenge\":\"0123456789abcdef0123\""
    for rest in [
      "\"platform\":\"ios\",\"keyId\":\"AAAA\",\"decision\":\"rejected\"", "\"token\":null",
      "\"keyId\":\"AAAA\",\"Token\":\"oQ==\"", "\"decision\":null",
      "\"format\":\"apple-app-attest\"",
    ] {
      try expect("{\(challenge),\(rest)}", finds: ["medium record.missing_field"], status: 0)
      #expect(try audit.report.summary.records["challenges"] == 0)
    }
    try expect(
      "{\(challenge),\"kind\":\"challenge\",\"token\":\"oQ==\"}",
      finds: ["medium record.ambiguous_field"], status: 0)
    try expect("{\(challenge)}", finds: [], status: 0)
    #expect(try audit.report.summary.records["challenges"] == 1)
  }

  @Test func `an accepted request that could not be audited is high`() throws {
    for (changes, code) in [
      (["keyId": nil], "missing_field"),
      (["payload": nil, "clientData": nil, "clientDataHash": nil], "missing_field"),
      (["token": "!!!"], "bad_encoding"), (["Token": "x"], "ambiguous_field"),
      (["kind": "challenge", "challenge": "0123456789abcdef"], "ambiguous_field"),
    ] as [([String: Any?], String)] {
      try expect(try replay(changes), finds: ["high record.\(code)"])
      let row = try #require(try audit.report.findingRows.first { $0["line"] == "34" })
      #expect(row["decision"] == "accepted" && row["time"] == "" && row["request_id"] == "")
      try expect(
        try replay(changes.merging(["decision": "rejected"]) { $1 }),
        finds: ["medium record.\(code)"], status: 0)
      try expect(
        try replay(changes.merging(["decision": nil]) { $1 }), finds: ["high record.\(code)"])
    }
  }

  @Test func `where challenges are required only what is said to be one hands it out`() throws {
    let audit = try EndAudit(settings: "detect: {challenges: required}\n")
    let index = try #require(day.lines.firstIndex { $0.contains("\"payload\":\"") })
    let use = try #require(
      try JSONSerialization.jsonObject(with: Data(day.lines[index].utf8)) as? [String: Any])
    func isFound(_ more: [String: String]) throws -> Bool {
      var challenge: [String: Any] = more
      challenge["time"] = use["time"]
      challenge["challenge"] = use["payload"]
      let line = try JSONSerialization.data(withJSONObject: challenge)
      try audit.scratch.write("a.jsonl", Array(line) + [0x0A] + day.log())
      _ = try audit.run("a.jsonl", "--quiet")
      #expect(try audit.report.summary.records["challenges"] == 1)
      return try audit.report.findings.contains {
        $0.hasSuffix("challenge.not_issued a.jsonl:\(index + 2)")
      }
    }
    #expect(try isFound([:]))
    #expect(try !isFound(["kind": "challenge"]))
  }

  @Test func `where challenges are required they hold for a day`() throws {
    let audit = try EndAudit(settings: "detect: {challenges: required}\n")
    let index = try #require(day.lines.firstIndex { $0.contains("\"payload\":\"") })
    let use = try #require(
      try JSONSerialization.jsonObject(with: Data(day.lines[index].utf8)) as? [String: Any])
    for (time, codes) in [
      ("2026-02-09T00:00:00Z", ["medium challenge.expired"]), ("2026-02-28T23:59:59Z", []),
    ] {
      let challenge = try JSONSerialization.data(withJSONObject: [
        "time": time, "kind": "challenge", "challenge": try #require(use["payload"]),
      ])
      try audit.scratch.write("a.jsonl", Array(challenge) + [0x0A] + day.log())
      _ = try audit.run("a.jsonl", "--quiet")
      let found = try audit.report.findingRows.filter { $0["line"] == "\(index + 2)" }
        .map { "\($0["severity"] ?? "") \($0["code"] ?? "")" }
      #expect(found == codes, "\(time)")
    }
  }

  @Test(arguments: ["Token", "TOKEN", "\u{212A}eyId", "keyid", "TIME", "\u{17F}ubject", "Decision"])
  func `a field beside another whose name differs in case is ambiguous`(_ name: String) throws {
    try expect(
      try replay([name: "x", "subject": "someone"]),
      finds: ["high record.ambiguous_field"], status: 1)
  }

  // MARK: Skipped lines

  private func gateway(
    _ path: String, _ body: String = "{}", headers: String = "{}", status: Int = 200
  ) -> String {
    "{\"time\":\"2026-03-01T10:00:00Z\",\"method\":\"POST\",\"path\":\"\(path)\",\"headers\":\(headers),"
      + "\"body\":\(body),\"status\":\(status),\"request_id\":\"r\"}\n"
  }

  private func auditGateway(_ log: String, _ more: String...) throws -> Program.Outcome {
    try audit.scratch.write("g/b.jsonl", Array(log.utf8))
    return try Program.run(
      [
        "audit", "g/b.jsonl", "--schema", "device-integrity", "--app-id", "A.b", "--out", "report",
        "--overwrite", "--quiet",
      ] + more, in: audit.scratch.path)
  }

  @Test(arguments: [
    (403, ["low"]), (408, ["high"]), (499, ["high"]), (460, ["high"]), (500, ["high"]),
  ])
  func `a status that the client's will wrote is no rejection`(
    _ status: Int, _ expected: [String]
  ) throws {
    let key = Data(repeating: 1, count: 32).base64EncodedString()
    let headers = "{\"X-App-Assertion\":\"oWA=\",\"X-App-Key-Id\":\"\(key)\"}"
    _ = try auditGateway(gateway("/v1/pay", "\"{}\"", headers: headers, status: status))
    let rows = try audit.report.findingRows
    #expect(rows.map { $0["code"] ?? "" } == ["assertion.malformed"])
    #expect(rows.map { $0["severity"] ?? "" } == expected)
  }

  @Test(arguments: [
    "/attest/verify?x=1", "/ATTEST/verify", "//attest/verify", "https://host/attest/verify/",
    "/%61ttest/verify",
  ])
  func `a path in another spelling is the same route`(_ path: String) throws {
    _ = try auditGateway(gateway(path))
    #expect(try audit.report.findings == ["high record.missing_field g/b.jsonl:1"])
  }

  @Test func `tokens in skipped lines are told of, by route, with a count`() throws {
    let token = "o2NmbXRvYXBwbGUtYXBwYXR0ZXN0"
    let bodies = [
      "{\"a\":[{\"b\":\"\(token)\"}]}", "\"{\\\"attestation\\\":\\\"\(token)\\\"}\"",
      "\"t=\\u006f\(token.dropFirst())\"",
    ]
    let log =
      bodies.map { gateway("/attest/v2?x", $0) }.joined() + gateway("/health")
      + gateway("/ATTEST/V2/", bodies[0]) + gateway("/other", bodies[1])
    for jobs in ["1", "2"] {
      #expect(try auditGateway(log, "--jobs", jobs).status == 1)
      let rows = try audit.report.findingRows
      #expect(
        rows.map {
          "\($0["severity"] ?? "") \($0["code"] ?? "") \($0["line"] ?? "") \($0["count"] ?? "")"
        }
          == ["high record.not_audited 1 4", "high record.not_audited 6 1"])
      #expect(rows.first?["detail"]?.contains("/attest/v2 ") == true)
      #expect(rows.allSatisfy { $0["decision"] == "" && $0["time"] == "" && $0["key_id"] == "" })
      let records = try audit.report.summary.records
      #expect(records["notAudited"] == 5 && records["skipped"] == 6)
    }
  }

  @Test func `at most a hundred shapes of a source are told apart`() throws {
    let body = "\"omlzaWduYXR1cmVY\""
    let log = (0..<4000).map { gateway("/p\($0 % 150)", body) }.joined()
    _ = try auditGateway(log, "--jobs", "2")
    let rows = try audit.report.findingRows
    #expect(rows.count == 101)
    #expect(rows.compactMap { $0["count"].flatMap { Int($0) } }.reduce(0, +) == 4000)
    #expect(rows.last?["line"] == "101")
    #expect(Set(rows.map { $0["fingerprint"] ?? "" }).count == 101)
  }

  @Test func `another platform's line that holds a token elsewhere is told of by its members`()
    throws
  {
    try expect(
      "{\"time\":1772337786655,\"platform\":\"android\",\"token\":\"eyJh.eyJi\",\"x\":\"onFhdXRoZW50aWNhdG9yRGF0YVg\"}",
      finds: ["high record.not_audited"])
    #expect(
      try audit.report.details("record.not_audited")[0].contains(" platform,time,token,x "))
    try expect(
      "{\"time\":1772337786655,\"platform\":\"android\",\"token\":\"eyJh.eyJi\"}", finds: [],
      status: 0)
  }
}
