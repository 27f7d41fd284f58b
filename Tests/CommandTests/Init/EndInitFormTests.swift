import AppAttest
import Foundation
import TestSupport
import Testing

/// `init` on the clean day in other forms: the day's lines, each rewritten.
struct EndInitFormTests {
  /// The clean day's lines that say what was signed, and not its hash alone.
  private static let lines = SyntheticDay.shared.lines.filter {
    ["\"challenge\":", "\"payload\":", "\"clientData\":"].contains(where: $0.contains)
  }

  /// Returns the same lines, each rewritten.
  private static func rewritten(
    _ rewrite: (_ line: [String: Any], _ index: Int) throws -> String
  ) throws -> String {
    try lines.enumerated().map { index, line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return try rewrite(try #require(object as? [String: Any]), index) + "\n"
    }.joined()
  }

  private static func json(_ object: Any) throws -> String {
    String(
      decoding: try JSONSerialization.data(
        withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes]), as: UTF8.self)
  }

  /// Decodes base64 in whatever alphabet.
  private static func bytes(_ text: Any?) throws -> Data {
    var text = try #require(text as? String).replacing("-", with: "+").replacing("_", with: "/")
      .replacing(" ", with: "+")
    if text.count == 64, text.allSatisfy(\.isHexDigit) {
      return Data(
        stride(from: 0, to: 64, by: 2).map { UInt8(text.dropFirst($0).prefix(2), radix: 16)! })
    }
    while !text.count.isMultiple(of: 4) { text += "=" }
    return try #require(Data(base64Encoded: text))
  }

  private static func hex(_ data: Data) -> String {
    data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private static func digest(_ data: Data) -> Data {
    Data(Digest256.sha256(Array(data).span).bytes)
  }

  /// Returns the data that was signed, of a line of the clean day.
  private static func clientData(_ line: [String: Any]) throws -> Data {
    if let text = (line["challenge"] ?? line["payload"]) as? String { return Data(text.utf8) }
    return try bytes(line["clientData"])
  }

  static func isAttestation(_ line: String) throws -> Bool {
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
    return try isAttestation(try #require(object as? [String: Any]))
  }

  private static func isAttestation(_ line: [String: Any]) throws -> Bool {
    try bytes(line["token"]).prefix(64).contains(Data("fmt".utf8))
  }

  private static func microseconds(_ line: [String: Any]) throws -> Int64 {
    if let number = line["time"] as? NSNumber {
      let value = number.doubleValue
      return Int64((value < 1e11 ? value * 1000 : value).rounded()) * 1000
    }
    let text = try #require(line["time"] as? String)
    let plain = text.uppercased().replacing(" ", with: "T").replacing(#/\.\d+/#, with: "")
    let date = try Date.ISO8601FormatStyle().parse(plain)
    return Int64(date.timeIntervalSince1970) * 1_000_000
  }

  /// Audits a log of the clean day in another form, by a pipeline file that `init` writes, and with
  /// the second app, of which fewer than half of the records are (`records.R96`). Expects no
  /// findings, and every line to be a record.
  private static func expectClean(
    _ log: String, contains texts: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let scratch = try Scratch()
    try SyntheticDay.shared.writeSettings(to: scratch)
    try scratch.write("log.jsonl", log)
    let outcome = try Program.run(
      [
        "init", "log.jsonl", "--out", "init.yaml", "--trust-anchor",
        "anchors/synthetic-attestation-root.pem", "--receipt-anchor",
        "anchors/synthetic-receipt-root.pem",
      ], in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
    let pipeline = String(decoding: try scratch.bytes("init.yaml"), as: UTF8.self)
    for text in texts {
      #expect(
        pipeline.contains(text), "\(text) is not in\n\(pipeline.prefix(3000))",
        sourceLocation: sourceLocation)
    }
    let check = try Program.run(["check", "init.yaml", "--run-tests"], in: scratch.path)
    #expect(check.status == 0, "\(check.errors)", sourceLocation: sourceLocation)
    let audit = try Program.run(
      [
        "audit", "--pipeline", "init.yaml", "--out", "report", "--attestation-max-age", "2d",
      ] + EndInitTests.everyApp, in: scratch.path)
    #expect(audit.status == 0, "\(audit.errors)", sourceLocation: sourceLocation)
    let report = scratch.report()
    #expect(try report.findings == [], sourceLocation: sourceLocation)
    let records = try report.summary.records
    #expect(records["attestations"] == 3, sourceLocation: sourceLocation)
    #expect(records["assertions"] == lines.count - 3, sourceLocation: sourceLocation)
    #expect(
      try report.summary.verdicts["valid"] == lines.count, sourceLocation: sourceLocation)
    #expect(lines.count > 20, sourceLocation: sourceLocation)
  }

  @Test func `hex everywhere, inside JSON inside JSON`() throws {
    let log = try Self.rewritten { line, index in
      let isAttestation = try Self.isAttestation(line)
      let inner = try Self.json([
        isAttestation ? "object" : "proof": Self.hex(try Self.bytes(line["token"])),
        "key": Self.hex(try Self.bytes(line["keyId"])),
        "signed": Self.hex(try Self.clientData(line)),
      ])
      return try Self.json([
        "at": Self.microseconds(line), "n": index,
        "message": Self.json(["inner": inner]),
      ])
    }
    try Self.expectClean(
      log,
      contains: [
        "unit: us", "{pointer: /message/inner/proof, encoding: hex}",
        "clientData: {pointer: /message/inner/signed, encoding: hex}",
        "challenge: {pointer: /message/inner/signed, encoding: hex}",
        "keyId: /message/inner/key",
      ])
  }

  @Test func `only the hash of what was signed, and the headers in changing case`() throws {
    let log = try Self.rewritten { line, index in
      let isAttestation = try Self.isAttestation(line)
      let names = ["X-Attest-Token", "x-attest-token", "X-ATTEST-TOKEN"]
      var object: [String: Any] = [
        "timestamp": String(try Self.microseconds(line) / 1000),
        "route": isAttestation ? "enrol" : "api/\(index)",
        "hash": Self.hex(try Self.digest(Self.clientData(line))),
      ]
      let token = try Self.bytes(line["token"]).base64EncodedString()
      let key = try Self.bytes(line["keyId"]).base64EncodedString()
      if isAttestation {
        object["body"] = ["attestation": token, "kid": key]
      } else {
        object["request_headers"] = [names[index % 3]: token, "kid": key]
      }
      return try Self.json(object)
    }
    try Self.expectClean(
      log,
      contains: [
        "headers: [/request_headers]", "clientDataHash: {pointer: /hash, encoding: hex}",
        "time: {pointer: /timestamp, unit: ms}", "keyId: /body/kid",
        "- {pointer: /body/attestation, present: true}",
        "- {pointer: /request_headers/X-Attest-Token, present: true}",
      ])
  }

  @Test func `a proxy that writes empty headers`() throws {
    let log = try Self.rewritten { line, index in
      let isAttestation = try Self.isAttestation(line)
      let token = try Self.bytes(line["token"]).base64EncodedString()
      let key = try Self.bytes(line["keyId"]).base64EncodedString()
      let data = try Self.clientData(line).base64EncodedString()
      let request =
        try Self.json([
          "msec": Double(try Self.microseconds(line) / 1000) / 1000,
          "uri": isAttestation ? "/enrol" : "/v1/\(index)", "status": 200,
          "http_x_assertion": isAttestation ? "-" : token, "http_x_kid": isAttestation ? "" : key,
          "body": isAttestation ? Self.json(["att": token, "k": key, "c": data]) : data,
        ])
      let other =
        #"{"msec":1772330000.5,"uri":"/","status":404,"http_x_assertion":"","http_x_kid":"-","body":""}"#
      return index.isMultiple(of: 4) ? request + "\n" + other : request
    }
    try Self.expectClean(
      log,
      contains: [
        "- {pointer: /http_x_assertion, not: ['', '-']}", "time: {pointer: /msec, unit: s}",
        "values: {2xx: accepted, '304': accepted, '307': rejected,",
      ])
  }

  @Test func `one pointer for all tokens, told apart by what stands beside them`() throws {
    let log = try Self.rewritten { line, _ in
      let isAttestation = try Self.isAttestation(line)
      return try Self.json([
        "when": Self.microseconds(line) / 1_000_000,
        "d": [
          "tok": Self.bytes(line["token"]).base64EncodedString(),
          "kid": Self.bytes(line["keyId"]).base64EncodedString(),
          isAttestation ? "chal" : "pay": Self.clientData(line).base64EncodedString(),
        ],
      ])
    }
    try Self.expectClean(
      log,
      contains: [
        "- {pointer: /d/chal, present: true}", "- {pointer: /d/pay, present: true}",
        "clientData: /d/pay", "challenge: {pointer: /d/chal, encoding: base64}",
        "time: {pointer: /when, unit: s}",
      ])
  }

  @Test func `where nothing but the route tells, it is compared as routers do`() throws {
    let log = try Self.rewritten { line, index in
      let isAttestation = try Self.isAttestation(line)
      let usual = index.isMultiple(of: 4) ? "/V1//notes/?page=\(index)" : "/v1/notes"
      return try Self.json([
        "when": Self.microseconds(line) / 1_000_000,
        "path": isAttestation ? "/enrol?v=\(index)" : index == 9 ? "/v1/n%6ftes" : usual,
        "tok": Self.bytes(line["token"]).base64EncodedString(),
        "kid": Self.bytes(line["keyId"]).base64EncodedString(),
        "data": Self.clientData(line).base64EncodedString(),
      ])
    }
    try Self.expectClean(
      log,
      contains: ["- {pointer: /path, path: /enrol}\n", "- {pointer: /path, path: /v1/notes}\n"])
  }

  @Test func `what attackers write between the lines changes nothing`() throws {
    let attestation = try #require(try Self.lines.first { try Self.isAttestation($0) })
    let object = try JSONSerialization.jsonObject(with: Data(attestation.utf8))
    let token = try Self.bytes((object as? [String: Any])?["token"]).base64EncodedString()
    let deep = String(repeating: #"{"a":["#, count: 500) + String(repeating: "]}", count: 500)
    let noise = [
      #"{"event":"other","note":"\#(token)"}"#, #"{"event":"other","deep":\#(deep)}"#,
      "{" + (0..<5000).map { #""k\#($0)":\#($0)"# }.joined(separator: ",") + "}",
      #"{"event":"other","blob":"\#(String(repeating: "omNm", count: 50_000))"}"#,
      #"{"event":"other","event":"request","at":1,"at":2}"#, #"{"a${HOME}":"${HOME}"}"#,
      String(repeating: "[", count: 10_000),
      #"{"long":"\#(String(repeating: "x", count: 2 << 20))"}"#,
      #"{"event":"other","nested":"{\"a\":\"{\\\"b\\\":"}"#, "\u{FEFF}", "null",
    ]
    let log = try Self.rewritten { line, index in
      let isAttestation = try Self.isAttestation(line)
      let request = try Self.json([
        "at": Self.microseconds(line) / 1000, "event": isAttestation ? "enrol" : "request",
        "proof": Self.bytes(line["token"]).base64EncodedString(),
        "kid": Self.bytes(line["keyId"]).base64EncodedString(),
        "signed": Self.clientData(line).base64EncodedString(), "ok": true,
      ])
      return request + "\n" + noise[index % noise.count]
    }
    let scratch = try Scratch()
    try SyntheticDay.shared.writeSettings(to: scratch)
    try scratch.write("log.jsonl", log)
    let arguments = [
      "init", "log.jsonl", "--trust-anchor", "anchors/synthetic-attestation-root.pem",
    ]
    let outcome = try Program.run(arguments, in: scratch.path)
    // Three of them are tokens where no request has one.
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("90.3 % (28 of 31) of those that contain tokens"))
    #expect(outcome.errors.contains("          3 that contain tokens would be skipped\n"))
    #expect(outcome.errors.contains("          such as line 2 of log.jsonl: no rule fits it: {"))
    for text in [
      "- {pointer: /event, is: enrol}", "- {pointer: /event, is: request}", "keyId: /kid",
      "token: /proof\n", "clientData: /signed\n",
      "challenge: {pointer: /signed, encoding: base64}", "time: {pointer: /at, unit: ms}",
    ] {
      #expect(outcome.output.contains(text), "\(text) is not in\n\(outcome.output.prefix(3000))")
    }
    // The same again, whatever order a run's tables have.
    #expect(try Program.run(arguments, in: scratch.path) == outcome)
    try scratch.write("p.yaml", outcome.output)
    #expect(try Program.run(["check", "p.yaml", "--run-tests"], in: scratch.path).status == 0)
  }
}
