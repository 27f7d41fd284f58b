import AppAttest
import AuditEngine
import AuditLog
import Foundation
import TestSupport
import Testing

@testable import AuditReport

/// The exact bytes of every file.
struct ReportFilesTests {
  private func report(_ result: InMemoryResult, verdicts: Bool = false) throws -> Scratch {
    let scratch = try Scratch()
    let report = try ReportDirectory(path: scratch.path + "/out", overwrite: false)
    let notices = try report.write(
      result, ReportContents(verdicts: verdicts), progress: AuditProgress(), run: { Rows.facts })
    #expect(notices.isEmpty)
    return scratch
  }

  @Test func `a finding without a key, and DeviceCheck tokens, have their places`() throws {
    var finding = Rows.full
    finding.code = .keyUnknown
    finding.keyID = nil
    finding.expected = nil
    finding.related = nil
    finding.count = 7
    var result = InMemoryResult.sample()
    result.findings = [finding]
    result.totals.deviceCheckTokens = 12
    let scratch = try report(result)
    let row = try #require(try scratch.text("out/findings.csv").split(separator: "\r\n").last)
    #expect(
      row.hasPrefix(
        "high,key.unknown,2026-03-01T12:00:00.123Z,assertion,,TEAM.com.example,00ff10,3,,"
          + "\"day/b, c.jsonl.zst\",42,,,7,r-1,accepted,"))
    let object = try scratch.text("out/findings.jsonl")
    #expect(object.contains(#""kind":"assertion","key_id":null,"app_id""#))
    #expect(try scratch.text("out/summary.json").contains("\"deviceCheckTokens\": 12,"))
  }

  @Test func `log text is guarded in csv and kept in json`() throws {
    var result = InMemoryResult()
    var finding = Rows.full
    finding.requestID = "=cmd|' /C calc'!A0"
    finding.appID = "+T.app"
    finding.subject = "-1"
    finding.detail = "@sum, \"x\""
    result.findings = [finding]
    let scratch = try report(result)
    let csv = try scratch.text("out/findings.csv")
    #expect(csv.contains(",'+T.app,"))
    #expect(csv.contains(",'=cmd|' /C calc'!A0,accepted,\"'@sum, \"\"x\"\"\","))
    #expect(csv.contains(",00abcdef01234567,'-1,AAECAwQF"))
    let json = try scratch.text("out/findings.jsonl")
    #expect(json.contains(#""subject":"-1""#))
    #expect(json.contains(#""request_id":"=cmd|' /C calc'!A0""#))
    #expect(json.contains(#""detail":"@sum, \"x\"""#))
  }

  @Test func `rejects show the head with replacement characters and escapes`() throws {
    let scratch = try report(InMemoryResult.sample())
    let expected =
      #"{"source":"day/a.jsonl","line":9,"byteOffset":1234,"code":"record.malformed_json","#
      + #""reason":"The line is not a JSON object.","head":"{"#
      + "\u{FFFD}" + #"\"\u0000\n"}"# + "\n"
    #expect(try scratch.text("out/rejects.jsonl") == expected)
  }

  @Test func `verdicts come out whole however many there are`() throws {
    var result = InMemoryResult()
    result.verdicts = (0..<20_000).map { line in
      var verdict = InMemoryResult.sample().verdicts[0]
      verdict.position.line = UInt64(line)
      return verdict
    }
    let scratch = try report(result, verdicts: true)
    let rows = try decompressed(scratch.path + "/out/verdicts.csv.zst").utf8.split(separator: 10)
    #expect(rows.count == 20_001)
    #expect(rows.last?.contains(UInt8(ascii: "1")) == true)
    #expect(Substring(rows[20_000]).contains(",19999,failed,"))
  }

  @Test func `an audit that found nothing has whole files all the same`() throws {
    let scratch = try report(InMemoryResult())
    #expect(try scratch.text("out/findings.jsonl").isEmpty)
    #expect(try scratch.text("out/rejects.jsonl").isEmpty)
    #expect(try scratch.text("out/findings.csv") == FindingColumns.plain.header + "\r\n")
    #expect(try scratch.text("out/summary.json").contains("\"byCode\": {}\n"))
  }

  @Test func `many rows pass the buffer whole and hashed`() throws {
    var result = InMemoryResult()
    result.findings = Array(repeating: Rows.full, count: 5000)
    let scratch = try report(result)
    let lines = try scratch.text("out/findings.jsonl").split(separator: "\n")
    #expect(lines.count == 5000)
    #expect(Set(lines).count == 1)
    let csv = try scratch.text("out/findings.csv")
    #expect(csv.utf8.count > 3 * OutputFile.bufferBytes)
    #expect(
      try scratch.text("out/manifest.json").contains(
        Digest256.sha256(Array(csv.utf8).span).hex))
  }
}
