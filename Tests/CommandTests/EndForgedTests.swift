import Foundation
import TestSupport
import Testing

/// Forged logs, audited by the built program: what is found is what was forged, no more and no less.
struct EndForgedTests {
  private struct Truth: Decodable {
    var code: String
    var source: String
    var line: Int
  }

  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  private func forge(_ flags: [String]) throws {
    let outcome = try Program.run(["forge", "--out", "day"] + flags, in: scratch.path)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.output.contains("synthetic"))
  }

  private func audit(_ flags: String...) throws -> Program.Outcome {
    try Program.run(
      ["audit", "--pipeline", "day/pipeline.yaml", "--out", "report"] + flags, in: scratch.path)
  }

  /// What `truth.jsonl` says, sorted, in the words of ``found()``.
  private func expected() throws -> [String] {
    let text = String(decoding: try scratch.bytes("day/truth.jsonl"), as: UTF8.self)
    return try text.split(separator: "\n").map { line in
      let row = try JSONDecoder().decode(Truth.self, from: Data(line.utf8))
      return "\(row.code) \(row.source.split(separator: "/").last ?? ""):\(row.line)"
    }.sorted()
  }

  /// What `findings.csv` says, sorted: `code file:line`.
  private func found() throws -> [String] {
    try scratch.report().findingRows.map { row in
      "\(row["code"] ?? "") \(row["source"]?.split(separator: "/").last ?? ""):\(row["line"] ?? "")"
    }.sorted()
  }

  private func expectTruth() throws {
    let outcome = try audit("--quiet")
    let (expected, found) = (try expected(), try found())
    #expect(Set(expected).subtracting(found) == [], "missing")
    #expect(Set(found).subtracting(expected) == [], "extra")
    #expect(found == expected)
    #expect(try scratch.report().summary.findings.total == expected.count)
    // Damaged files are among what is forged.
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(outcome.output == "")
    try expectSameByOpenSSL()
  }

  /// OpenSSL alone comes to the same report, byte for byte.
  private func expectSameByOpenSSL() throws {
    let lasting = try scratch.report().lasting
    let outcome = try audit("--quiet", "--verifier", "openssl", "--overwrite")
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(try scratch.report().lasting == lasting)
  }

  @Test(arguments: 1...20)
  func `every attack is found, and nothing else`(_ seed: Int) throws {
    try forge([
      "--attacks", "all", "--seed", "\(seed)", "--keys", "\(seed * 3)", "--assertions",
      "\(100 + seed * 10)", "--files", "\(1 + seed % 7)",
    ])
    #expect(Set(try expected().compactMap { $0.split(separator: " ").first }).count >= 46)
    try expectTruth()
  }

  @Test(arguments: [21, 22])
  func `every attack is found where a few keys have most of the traffic`(_ seed: Int) throws {
    try forge([
      "--attacks", "all", "--seed", "\(seed)", "--keys", "40", "--assertions", "400", "--files",
      "5", "--zipf",
    ])
    try expectTruth()
  }

  @Test(arguments: [23, 24])
  func `every attack is found beside one key`(_ seed: Int) throws {
    try forge([
      "--attacks", "all", "--seed", "\(seed)", "--keys", "1", "--assertions", "300", "--files", "3",
    ])
    try expectTruth()
  }

  @Test(arguments: [
    ["--keys", "30"], ["--keys", "30", "--zipf"], ["--keys", "1"],
    ["--keys", "20", "--challenge-records"], ["--keys", "1", "--zipf", "--files", "1"],
  ])
  func `nothing is found in clean logs`(_ flags: [String]) throws {
    for seed in 31...33 {
      try? FileManager.default.removeItem(atPath: scratch.path + "/day")
      try forge(["--clean", "--seed", "\(seed)", "--assertions", "300"] + flags)
      #expect(try expected() == [])
      #expect(
        try audit("--overwrite", "--fail-on", "info")
          == Program.Outcome(status: 0, output: "", errors: ""))
      let report = scratch.report()
      #expect(try report.findingRows.isEmpty)
      #expect(try report.bytes("rejects.jsonl").isEmpty)
      let summary = try report.summary
      #expect(summary.findings.total == 0)
      #expect(summary.verdicts["failed"] == 0)
      #expect(summary.verdicts["unverifiable"] == 0)
      #expect(summary.records["assertions"] == 300)
    }
  }
}
