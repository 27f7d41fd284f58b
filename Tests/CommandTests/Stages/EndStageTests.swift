import Foundation
import LogForge
import TestSupport
import Testing

/// An audit by stages, whose rows others shuffle, gives the report of one process.
struct EndStageTests {
  private let day = ForgedDay()

  private func forge(_ schema: ForgedSchema, _ seed: Int, _ more: [String] = []) throws {
    try day.forge(
      [
        "--schema", schema.rawValue, "--attacks", "all", "--seed", "\(seed)", "--keys",
        "\(seed * 3)", "--assertions", "\(40 + seed * 30)", "--files", "\(1 + seed % 5)",
      ] + more)
  }

  /// A seed for each form whose rows differ, of which so many rows and parts come. A gateway's log
  /// has the rows of another form, and `EndSchemaForgedTests` reads them all.
  private static let seeds: [(ForgedSchema, Int)] = [
    (.default, 1), (.capgo, 2), (.deviceIntegrity, 3), (.headerAssertion, 2), (.otel, 3),
  ]

  @Test(arguments: seeds)
  func `the report is that of one process, however the rows are divided`(
    _ schema: ForgedSchema, _ seed: Int
  ) throws {
    try forge(schema, seed)
    if schema == .default {
      try day.logDecisions(of: "day/logs/edge-a-00000.jsonl.zst", again: "day/logs/copy.jsonl")
    }
    let whole = try day.audit("day/pipeline.yaml", "--quiet", "--verdicts")
    let play = StagePlay(day: day, flags: ["--verdicts"], parts: 1 + seed * 2)
    #expect(try play.play() == whole.status)
    try play.expectSame()
  }

  @Test func `challenges, little memory and many parts change nothing`() throws {
    try forge(.default, 4, ["--challenge-records"])
    let whole = try day.audit("day/pipeline.yaml", "--quiet")
    let play = StagePlay(day: day, flags: ["--memory", "64MiB", "--jobs", "3"], parts: 11)
    #expect(try play.play() == whole.status)
    try play.expectSame()
  }

  /// Gives every record of a log a subject and a request identifier that no row has room for.
  @Test func `texts too long for a row travel behind it`() throws {
    try day.forge(["--keys", "3", "--assertions", "60", "--files", "3", "--attacks", "all"])
    let folder = day.scratch.path + "/day/logs"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where name.hasSuffix(".jsonl") || name.hasSuffix(".log") {
      let text = try String(
        decoding: Data(contentsOf: URL(filePath: "\(folder)/\(name)")), as: UTF8.self)
      let long = text.replacing(/"(subject|requestId)": ?"/) { match in
        "\(match.0)\(String(repeating: "long text ", count: 400))"
      }
      try Data(long.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
    }
    let whole = try day.audit("day/pipeline.yaml", "--quiet", "--verdicts")
    let play = StagePlay(day: day, flags: ["--verdicts"])
    #expect(try play.play() == whole.status)
    try play.expectSame()
    #expect(
      try day.scratch.report().text("findings.csv")
        .contains("long text long text"))
  }

  @Test func `a file that is not there, a copy and an empty file are as with one process`() throws {
    try forge(.default, 1)
    let logs = day.scratch.path + "/day/logs"
    let names = try FileManager.default.contentsOfDirectory(atPath: logs).sorted()
    let first = try #require(names.first { $0.hasSuffix(".jsonl") || $0.hasSuffix(".zst") })
    try FileManager.default.copyItem(atPath: "\(logs)/\(first)", toPath: "\(logs)/zz-copy")
    _ = try day.scratch.write("day/logs/empty.jsonl", "")
    // `pipeline.R13`
    let pipeline = try day.scratch.text("day/pipeline.yaml")
    _ = try day.scratch.write(
      "day/pipeline.yaml",
      pipeline
        + "expect: [{inputs: \(logs)/*, lines: 9}, {inputs: \(logs)/empty*}, {inputs: none}]\n")
    let inputs = ["day/logs", "day/nothing.jsonl"]
    try? FileManager.default.removeItem(atPath: day.scratch.path + "/report")
    let whole = try Program.run(
      ["audit", "--pipeline", "day/pipeline.yaml", "--out", "report", "--quiet"] + inputs,
      in: day.scratch.path)
    let play = StagePlay(day: day)
    #expect(try play.play(inputs) == whole.status)
    #expect(whole.status == 2)
    try play.expectSame()
    let findings = try day.scratch.report().text("findings.csv")
    #expect(findings.matches(of: /stream\.missing/).count == 2)
  }
}
