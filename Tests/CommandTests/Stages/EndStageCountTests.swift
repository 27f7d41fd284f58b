import Foundation
import LogForge
import TestSupport
import Testing

/// An audit by stages whose engine counts clientDataHashes, and brings only the rows of those together that
/// stand in several records.
struct EndStageCountTests {
  private let day = ForgedDay()

  @Test(arguments: [ForgedSchema.default, .headerAssertion, .cloudwatch])
  func `the report is that of one process`(_ schema: ForgedSchema) throws {
    try day.forge([
      "--schema", schema.rawValue, "--attacks", "all,-challenge", "--seed", "31", "--keys", "7",
      "--assertions", "200", "--files", "4",
    ])
    let whole = try day.audit("day/pipeline.yaml", "--quiet", "--verdicts")
    var play = StagePlay(day: day, flags: ["--verdicts", "--memory", "64MiB", "--jobs", "3"])
    play.countsHashes = true
    #expect(try play.play() == whole.status)
    try play.expectSame()
  }

  @Test func `rows of hashes that stand in one record stay`() throws {
    try day.forge([
      "--attacks", "all,-challenge", "--seed", "33", "--keys", "9", "--assertions", "900",
    ])
    var play = StagePlay(day: day, parts: 1)
    let (sources, all) = try play.mapped()
    let moved = try play.stream("keys", StagePlay.input(sources, all)).rows.filter { $0[0] == 8 }
    var counts: [[UInt8]: Int] = [:]
    for row in moved { counts[Array(row[1...33]), default: 0] += 1 }
    let expected = moved.filter { counts[Array($0[1...33])] ?? 0 > 1 }
    play.countsHashes = true
    let (_, rows) = try play.mapped()
    #expect(rows.filter { $0[0] != 2 && $0[0] != 4 }.count == all.filter { $0[0] != 4 }.count)
    let judged = try play.stream("keys", play.judging(sources, rows)).rows
    let order: ([UInt8], [UInt8]) -> Bool = { $0.lexicographicallyPrecedes($1) }
    #expect(judged.filter { $0[0] == 8 }.sorted(by: order) == expected.sorted(by: order))
    #expect(expected.count > 4 && expected.count < moved.count / 4)
  }

  @Test func `places that nobody counted are refused`() throws {
    try day.forge(["--seed", "34", "--keys", "3", "--assertions", "30"])
    var play = StagePlay(day: day, parts: 1)
    play.countsHashes = true
    let (sources, rows) = try play.mapped()
    let places = rows.filter { $0[0] == 2 }
    #expect(!places.isEmpty)
    // As they come from `map`; where no stage takes them; and of another length.
    let rest = rows.filter { $0[0] != 2 }
    let wrong: [(stage: String, front: [[UInt8]], words: String)] = [
      ("keys", places, "the places of hashes are not as they should be"),
      ("hashes", [[2, 1, 0]], "it contains rows of another stage (places)"),
      ("report", [[2, 1, 0]], "the stream of rows on standard input is broken"),
      ("keys", [[2, 1, 0, 9, 9, 9, 9]], "the places of hashes are not as they should be"),
      ("keys", [[2, 1]], "the places of hashes are not as they should be"),
    ]
    for (stage, front, words) in wrong {
      try play.expectRefused(stage, StagePlay.input(sources, front + rest).bytes(), words)
    }
  }

  @Test func `a state compares every hash, and none is counted`() throws {
    try day.forge(["--seed", "35", "--keys", "3", "--assertions", "30"])
    let play = StagePlay(day: day, flags: ["--state", "state"], parts: 1)
    let (sources, rows) = try play.mapped()
    #expect(sources.header[12] & 6 == 6)
    try play.expectRefused(
      "keys", StagePlay.input(sources, [[2, 1, 0]] + rows).bytes(),
      "it contains rows of another stage (places)")
    for (stage, flags) in [("map", ["--state", "state"]), ("keys", [])] {
      let outcome = try Program.run(
        ["stage", stage, "--count-hashes", "--app-id", "ABCDE12345.com.example.bank"] + flags,
        in: day.scratch.path)
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("only stage map without a state counts clientDataHashes"))
    }
  }
}
