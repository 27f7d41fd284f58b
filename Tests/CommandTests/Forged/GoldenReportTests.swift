import Foundation
import TestSupport
import Testing

/// The report on the forged day in `testdata/`, with everything that can be in it: made once for all tests.
struct ForgedReport {
  static let shared: ForgedReport = made {
    let scratch = try Scratch()
    let outcome = try Program.run(
      [
        "audit", "--pipeline", "testdata/pipeline.yaml", "--verdicts", "--index", "--out",
        scratch.path + "/report",
      ], in: Repository.root)
    return ForgedReport(scratch: scratch, outcome: outcome)
  }

  let scratch: Scratch
  let outcome: Program.Outcome
  var folder: ReportFolder { scratch.report() }
}

/// The forged day in `testdata/` and its reports, byte for byte (`reports.R2` to `R5`, `R12` to `R21`, `R28` to
/// `R33`, `R45`).
struct GoldenReportTests {
  private static let audit = ForgedReport.shared

  private static func golden(_ name: String) throws -> String {
    try Repository.text("testdata/golden/\(name)")
  }

  @Test(arguments: ["findings.csv", "findings.jsonl", "keys.csv", "rejects.jsonl"])
  func `a report is the golden one`(name: String) throws {
    #expect(try Self.audit.folder.text(name) == Self.golden(name))
  }

  @Test func `the verdicts are the golden ones`() throws {
    let verdicts = try Packed.unpack(Self.audit.folder.bytes("verdicts.csv.zst"))
    #expect(String(decoding: verdicts, as: UTF8.self) == (try Self.golden("verdicts.csv")))
  }

  @Test func `the summary is the golden one, but for what differs from run to run`() throws {
    let summary = try Self.audit.folder.text("summary.json")
      .replacing(#/(?s)"run": \{.*?\n  \}/#, with: "\"run\": {}")
    #expect(summary == (try Self.golden("summary.json")))
  }

  @Test func `the summary on standard output is the golden one`() throws {
    let output = Self.audit.outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("report ") }.joined(separator: "\n")
    #expect(output == (try Self.golden("summary.txt")))
    #expect(Self.audit.outcome.status == 2)
  }
}
