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

  @Test func `log text is guarded in csv and kept in json (reports.R26, R27)`() throws {
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
    let rows = try Packed.unpack(scratch.bytes("out/verdicts.csv.zst"))
      .split(separator: 10)
    #expect(rows.count == 20_001)
    #expect(String(decoding: rows[20_000], as: UTF8.self).contains(",19999,failed,"))
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
