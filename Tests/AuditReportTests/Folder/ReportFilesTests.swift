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

  @Test func `without verdicts there is no such file`() throws {
    let scratch = try report(InMemoryResult.sample())
    #expect(!FileManager.default.fileExists(atPath: scratch.path + "/out/verdicts.csv.zst"))
  }

  @Test func `summary json has its keys in their order`() throws {
    let scratch = try report(InMemoryResult.sample())
    let zero = String(repeating: "0", count: 64)
    let expected = """
      {
        "schemaVersion": 1,
        "tool": {
          "name": "attest-audit",
          "version": "\(Tool.version)"
        },
        "run": {
          "id": "run-1",
          "day": "",
          "pipeline": null,
          "startedAt": "1970-01-01T00:00:00.000Z",
          "finishedAt": "1970-01-01T00:01:01.005Z",
          "seconds": 61.005,
          "threads": 2,
          "peakMemoryBytes": 1024,
          "spilledBytes": 0,
          "verifier": "batch",
          "signatures": {
            "batch": 0,
            "openssl": 0,
            "confirmed": 0,
            "undecided": 0,
            "crossChecked": 0
          },
          "silences": [],
          "settings": null
        },
        "inputs": [
          {
            "source": "day/a.jsonl",
            "bytes": 10,
            "decompressedBytes": 20,
            "lines": 3,
            "sha256": "\(zero)",
            "status": "ok"
          },
          {
            "source": "day/b, c.jsonl.zst",
            "bytes": 0,
            "decompressedBytes": 0,
            "lines": 0,
            "sha256": null,
            "status": "unreadable"
          }
        ],
        "records": {
          "lines": 3,
          "blank": 0,
          "attestations": 0,
          "assertions": 2,
          "challenges": 0,
          "deviceCheckTokens": 0,
          "skipped": 0,
          "unreadable": 1,
          "known": 0,
          "items": 0,
          "notAudited": 0,
          "ambiguousTimes": 0
        },
        "verdicts": {
          "valid": 1,
          "flagged": 0,
          "failed": 1,
          "unverifiable": 0,
          "unreadable": 1,
          "skipped": 0,
          "challenge": 0,
          "known": 0
        },
        "keys": {
          "attested": 1,
          "imported": 0,
          "known": 0,
          "untrusted": 0,
          "unknown": 0
        },
        "findings": {
          "total": 2,
          "bySeverity": {
            "info": 0,
            "low": 0,
            "medium": 1,
            "high": 1,
            "critical": 0
          },
          "byCode": {
            "counter.regression": 1,
            "record.malformed_json": 1
          }
        },
        "likelyCauses": [],
        "blindSpots": []
      }

      """
    #expect(try scratch.text("out/summary.json") == expected)
  }

  @Test func `an audit that found nothing has whole files all the same`() throws {
    let scratch = try report(InMemoryResult())
    #expect(try scratch.text("out/findings.jsonl").isEmpty)
    #expect(try scratch.text("out/rejects.jsonl").isEmpty)
    #expect(try scratch.text("out/findings.csv") == FindingColumns.plain.header + "\r\n")
    #expect(try scratch.text("out/summary.json").contains("\"byCode\": {}\n"))
  }

  @Test func `the manifest names every other file with its size and hash`() throws {
    let scratch = try report(InMemoryResult.sample(), verdicts: true)
    struct Listing: Decodable {
      struct File: Decodable {
        var name: String
        var size: Int
        var sha256: String
      }
      var files: [File]
    }
    let data = try Data(contentsOf: URL(fileURLWithPath: scratch.path + "/out/manifest.json"))
    let listing = try JSONDecoder().decode(Listing.self, from: data)
    #expect(
      listing.files.map(\.name) == [
        "findings.csv", "findings.jsonl", "keys.csv", "rejects.jsonl", "summary.json",
        "verdicts.csv.zst",
      ])
    for file in listing.files {
      let path = scratch.path + "/out/" + file.name
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      #expect(bytes.count == file.size)
      #expect(Digest256.sha256(bytes.span).hex == file.sha256)
    }
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
