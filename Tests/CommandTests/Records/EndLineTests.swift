import Foundation
import TestSupport
import Testing

/// Lines and tokens made to break a reader, among a day of good ones.
struct EndLineTests {
  private let audit: EndAudit
  private let day = SyntheticDay.shared

  init() throws {
    audit = try EndAudit()
  }

  private static func nested(_ depth: Int) -> String {
    "{\"x\":" + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
      + "}"
  }

  /// Lines and the code of each. Lines without a code are blank, and nothing is wrong with them.
  private static let lines: [(line: String, code: String?)] = [
    ("", nil), (" \t ", nil),
    ("no json", "record.malformed_json"),
    ("[]", "record.malformed_json"),
    ("\"text\"", "record.malformed_json"),
    ("17", "record.malformed_json"),
    ("null", "record.malformed_json"),
    ("{", "record.malformed_json"),
    ("{}{}", "record.malformed_json"),
    ("{\"time\":1,}", "record.malformed_json"),
    ("{\"x\":NaN}", "record.missing_field"),
    ("{\"x\":01}", "record.malformed_json"),
    ("{\"x\":\"\\ud800\"}", "record.missing_field"),
    ("{\"x\":\"\\u12\"}", "record.malformed_json"),
    ("{\"x\":\"a\u{0}b\"}", "record.missing_field"),
    ("\u{0}\u{0}\u{0}", "record.malformed_json"),
    ("{\"time\":1}\u{0}", "record.missing_field"),
    ("{\"x\":\"\\u0000\"}", "record.missing_field"),
    (nested(1024), "record.missing_field"),
    (nested(1025), "record.malformed_json"),
    (nested(200_000), "record.malformed_json"),
    (String(repeating: "[", count: 1_000_000), "record.malformed_json"),
    (String(repeating: "{\"a\":", count: 200_000), "record.malformed_json"),
    ("{\"x\":\(String(repeating: "9", count: 100_000))}", "record.missing_field"),
    ("{}", "record.missing_field"),
    ("{\"time\":1,\"kind\":\"assertion\"}", "record.missing_field"),
    ("{\"time\":true,\"challenge\":\"0123456789abcdef\"}", "record.missing_field"),
    ("{\"time\":1,\"challenge\":7}", "record.missing_field"),
    ("{\"time\":1,\"kind\":\"other\",\"challenge\":\"0123456789abcdef\"}", "record.bad_encoding"),
    ("{\"time\":\"yesterday\",\"challenge\":\"0123456789abcdef\"}", "record.bad_encoding"),
    ("{\"time\":1e400,\"challenge\":\"0123456789abcdef\"}", "record.bad_encoding"),
    ("{\"time\":1,\"time\":1,\"challenge\":\"0123456789abcdef\"}", "record.ambiguous_field"),
    ("{\"time\":1,\"\\u0074ime\":1}", "record.ambiguous_field"),
    ("{\"time\":1,\"time\":1,\"platform\":\"android\"}", "record.ambiguous_field"),
  ]

  @Test func `hostile lines are rejects, and the rest is audited`() throws {
    let text = Self.lines.map { $0.line + "\n" }.joined()
    try audit.scratch.write("a.jsonl", day.log(0..<15) + Array(text.utf8) + day.log(15..<33))
    let expected = Self.lines.enumerated().compactMap { index, line in
      line.code.map { "medium \($0) a.jsonl:\(16 + index)" }
    }
    // Blank lines do not count (reports.R47).
    let filled = 33 + Self.lines.count - 2
    try audit.expect(
      "a.jsonl", status: 2,
      errors:
        "attest-audit: notice: \(expected.count) of \(filled) lines of a.jsonl "
        + "cannot be read with the schema default: is it another log? "
        + "attest-audit init a.jsonl infers a schema\n",
      findings: expected,
      lines: ["lines": 33 + Self.lines.count, "blank": 2, "unreadable": expected.count])
    let rejects = try audit.report.text("rejects.jsonl").split(separator: "\n")
    #expect(rejects.count == expected.count)
    #expect(rejects.allSatisfy { $0.utf8.count < 2048 })
  }

  @Test func `bytes that are no text are rejects`() throws {
    let bytes: [[UInt8]] = [
      [0xFF], [0xC0, 0x80], Array("{\"x\":\"".utf8) + [0xED, 0xA0, 0x80] + Array("\"}".utf8),
      Array("{\"x\":\"".utf8) + [0xF4, 0x90, 0x80, 0x80] + Array("\"}".utf8),
      [UInt8](repeating: 0, count: 5000), [0xFE, 0xFF, 0x00, 0x7B],
    ]
    try audit.scratch.write("a.jsonl", day.log() + bytes.flatMap { $0 + [0x0A] })
    let outcome = try audit.run("a.jsonl", "--quiet")
    #expect(outcome.status == 2)
    #expect(
      try audit.report.findings
        == bytes.indices.map {
          let isObject = bytes[$0][0] == UInt8(ascii: "{")
          return "medium record.\(isObject ? "missing_field" : "malformed_json") a.jsonl:\(34 + $0)"
        })
    // What is shown of them is text all the same.
    for line in try audit.report.text("rejects.jsonl").split(separator: "\n") {
      #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil)
    }
  }

  @Test func `a line at the limit is read, a longer one is a reject`() throws {
    let audit = try EndAudit(settings: "limits: {lineBytes: 4MiB}\n")
    let frame = "{\"time\":1772337786655,\"challenge\":\"0123456789abcdef\",\"x\":\"\"}"
    func line(_ count: Int) -> String {
      frame.replacing(
        "\"\"", with: "\"" + String(repeating: "x", count: count - frame.utf8.count) + "\"")
    }
    let text = [line(4 << 20), line(4 << 20 + 1), line(6 << 20), line(100)]
      .map { $0 + "\r\n" }.joined()
    try audit.scratch.write("a.jsonl", day.log(0..<10) + Array(text.utf8) + day.log(10..<33))
    try audit.expect(
      "a.jsonl", status: 0,
      findings: [
        "medium record.malformed_json a.jsonl:12", "medium record.malformed_json a.jsonl:13",
      ], lines: ["lines": 37, "challenges": 2, "assertions": 30])
    #expect(
      try audit.report.details("record.malformed_json")
        == [String](
          repeating: "The line is too long: byte 4194304 is beyond limits.lineBytes.", count: 2))
    #expect(try audit.report.bytes("rejects.jsonl").count < 2048)
  }

  /// CBOR that is no attestation and no assertion, and must neither trap nor take long.
  private static let tokens: [[UInt8]] = [
    [], [0xFF], [0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
    [0xBB, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
    [0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
    [UInt8](repeating: 0x81, count: 4000), [UInt8](repeating: 0x9F, count: 4000),
    [UInt8](repeating: 0xBF, count: 4000), [UInt8](repeating: 0xC0, count: 4000),
    [UInt8](repeating: 0x5F, count: 4000), [UInt8](repeating: 0, count: 200_000),
    Array(repeating: [0xA1, 0x00] as [UInt8], count: 2000).flatMap { $0 },
    [0xA2, 0x61, 0x61, 0x00, 0x61, 0x61, 0x00], [0xA1, 0x61, 0xFF, 0x00], [0x1C], [0xFC],
    [0xA3] + Array("cfmt".utf8) + [0x7B, 0, 0, 0, 1, 0, 0, 0, 0],
  ]

  @Test(arguments: ["attestation", "assertion"])
  func `hostile cbor is malformed`(_ kind: String) throws {
    let key = Data(repeating: 9, count: 32).base64EncodedString()
    let hash = Data(repeating: 8, count: 32).base64EncodedString()
    let lines = Self.tokens.enumerated().map { index, token in
      "{\"time\":\(1_772_337_786_655 + index),\"kind\":\"\(kind)\",\"keyId\":\"\(key)\","
        + "\"clientDataHash\":\"\(hash)\",\"token\":\"\(Data(token).base64EncodedString())\"}\n"
    }
    try audit.scratch.write("a.jsonl", day.log() + Array(lines.joined().utf8))
    try audit.expect(
      "a.jsonl", status: 1,
      findings: Self.tokens.indices.map { "high \(kind).malformed a.jsonl:\(34 + $0)" },
      lines: ["lines": 33 + Self.tokens.count, "unreadable": 0])
    #expect(try audit.report.summary.verdicts["valid"] == 33)
  }

  /// The bytes that replace the front of a signature's DER.
  private static let signatures: [[UInt8]] = [
    [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x80, 0x02, 0x80], [0x30, 0x88, 0x7F, 0xFF],
    [0x30, 0x45, 0x02, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x45, 0x02, 0x00], [0xFF, 0xFF],
    [0x30, 0x00], [0x31], [0x30, 0x45, 0x02, 0x7F], [0x00, 0x00, 0x00, 0x00],
  ]

  @Test func `hostile der is an invalid signature`() throws {
    var assertion = try #require(
      try JSONSerialization.jsonObject(with: Data(day.lines[7].utf8)) as? [String: Any])
    // What the server decided would raise or lower the finding.
    assertion["decision"] = nil
    let token = try #require((assertion["token"] as? String).flatMap(Self.base64))
    let mark = Array("signature".utf8)
    let start = try #require(
      token.indices.first { token[$0...].starts(with: mark) }.map { $0 + mark.count + 2 })
    #expect(token[start] == 0x30)
    let lines = try Self.signatures.map { front -> String in
      var changed = token
      changed.replaceSubrange(start..<start + front.count, with: front)
      var record = assertion
      record["token"] = Data(changed).base64EncodedString()
      return String(decoding: try JSONSerialization.data(withJSONObject: record), as: UTF8.self)
        + "\n"
    }
    try audit.scratch.write("a.jsonl", day.log() + Array(lines.joined().utf8))
    try audit.expect(
      "a.jsonl", status: 1,
      findings: Self.signatures.indices.map {
        "high assertion.signature_invalid a.jsonl:\(34 + $0)"
      },
      lines: ["assertions": 30 + Self.signatures.count])
    #expect(try audit.report.summary.verdicts["valid"] == 33)
  }

  /// Decodes base64 or base64url, padded or not.
  private static func base64(_ text: String) -> [UInt8]? {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
    let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    return Data(base64Encoded: plain + padding).map { Array($0) }
  }
}
