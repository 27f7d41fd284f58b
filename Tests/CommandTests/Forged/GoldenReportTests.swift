import Foundation
import TestSupport
import Testing

/// The forged day in `testdata/` and its reports, byte for byte.
struct GoldenReportTests {
  private static func golden(_ name: String) throws -> String {
    let path = Repository.folder.appendingPathComponent("testdata/golden/\(name)")
    return String(decoding: try Data(contentsOf: path), as: UTF8.self)
  }

  /// One audit for all tests here.
  private static let audit: (outcome: Program.Outcome, report: ReportFolder, scratch: Scratch) =
    made {
      let scratch = try Scratch()
      let outcome = try Program.run(
        [
          "audit", "--pipeline", "testdata/pipeline.yaml", "--out", scratch.path + "/report",
          "--verdicts",
        ], in: Repository.root)
      return (outcome, scratch.report(), scratch)
    }

  @Test(arguments: ["findings.csv", "findings.jsonl", "keys.csv", "rejects.jsonl"])
  func `a report is the golden one`(name: String) throws {
    #expect(try Self.audit.report.text(name) == Self.golden(name))
  }

  @Test func `the verdicts are the golden ones`() throws {
    let verdicts = try Packed.unpack(Self.audit.report.bytes("verdicts.csv.zst"))
    #expect(String(decoding: verdicts, as: UTF8.self) == (try Self.golden("verdicts.csv")))
  }

  @Test func `the summary is the golden one, but for what differs from run to run`() throws {
    let summary = try Self.audit.report.text("summary.json")
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
