import Foundation
import TestSupport
import Testing

/// An incident, from the first night's mail to the proof: one key in two devices for a week.
struct EndIncidentTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    let forged = try Program.forge(
      [
        "--out", "week", "--days", "7", "--incident", "--keys", "30", "--assertions",
        "2100", "--files", "14", "--seed", "3",
      ], in: scratch.path)
    #expect(forged.status == 0, "\(forged.errors)")
  }

  private func run(_ arguments: String...) throws -> Program.Outcome {
    try Program.run(arguments, in: scratch.path)
  }

  private struct Truth: Decodable {
    var code: String
    var source: String
    var line: Int
  }

  private func truth() throws -> [String] {
    try scratch.bytes("week/truth.jsonl").split(separator: 10).map { line in
      let row = try JSONDecoder().decode(Truth.self, from: Data(line))
      return "\(row.code) \(row.source.split(separator: "/").last ?? ""):\(row.line)"
    }.sorted()
  }

  private func found(_ reports: [String]) throws -> [String] {
    try reports.flatMap { try scratch.report($0).findingRows }.map {
      "\($0["code"] ?? "") \($0["source"]?.split(separator: "/").last ?? ""):\($0["line"] ?? "")"
    }.sorted()
  }

  @Test func `one run finds what was forged`() throws {
    _ = try run("audit", "--pipeline", "week/pipeline.yaml", "--out", "all", "--quiet")
    let truth = try truth()
    #expect(truth.count == 39)
    #expect(try found(["all"]) == truth)
    #expect(
      Set(truth.map { $0.prefix { $0 != " " } }) == ["counter.repeated", "replay.assertion"])
  }

  @Test
  func `nights find it, and the commands lead from the mail to the fork and its proof`()
    throws
  {
    let names = try scratch.contents("week/logs")
    var reports: [String] = []
    var mails: [String] = []
    for night in 0..<7 {
      // One server's log of the fourth day comes a night late.
      let logs = names.filter { name in
        let day = Int(name.dropFirst(7).prefix(5)) ?? 0
        return name.hasPrefix("edge-b-00003") ? night == 4 : day == night
      }
      reports.append("night-\(night)")
      let outcome = try Program.run(
        ["audit"] + logs.map { "week/logs/" + $0 } + [
          "--pipeline", "week/pipeline.yaml", "--state", "state", "--settle", "0s", "--date",
          "2026-03-0\(night + 2)", "--out", "night-\(night)",
        ], in: scratch.path)
      #expect(outcome.status == (night == 0 ? 0 : 1), "\(outcome.errors)")
      mails.append(outcome.output)
    }
    #expect(mails[0] == "")
    let withdrawn = try Set(
      reports.flatMap { try CSVTable.rows(scratch.report($0).bytes("withdrawn.csv")) }
        .compactMap { $0["fingerprint"] })
    let standing = try reports.flatMap { try scratch.report($0).findingRows }
      .filter { !withdrawn.contains($0["fingerprint"] ?? "") }
    #expect(Set(standing.map { $0["key_id"] }).count == 1)
    // The mail names the key; its timeline names the fork, and where it begins.
    let short = try #require(
      mails[1].firstMatch(of: /key ([0-9a-f]{16}), \d+ findings\n +critical +counter\.repeated/))
    let key = try #require(standing.first?["key_id"])
    #expect(key.hasPrefix(short.1))
    let timeline = try run(
      "timeline", "--key", key, "--pipeline", "week/pipeline.yaml", "--svg", "fork.svg")
    #expect(timeline.status == 0)
    #expect(timeline.output.contains("fork: two rising sequences of counters interleave"))
    #expect(timeline.output.contains("they part after 2026-03-01 20:11:00.000 (counter 12)"))
    #expect(timeline.output.contains("one goes on at  2026-03-02 01:00:00.000 (counter 13)"))
    #expect(timeline.output.contains("another begins  2026-03-02 09:00:00.000 (counter 13)"))
    #expect(timeline.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(try scratch.bytes("fork.svg").count > 1000)
    let finding = try #require(standing.first { $0["code"] == "replay.assertion" })
    let report = try #require(
      reports.first {
        try scratch.report($0).text("findings.csv").contains(finding["fingerprint"] ?? "-")
      })
    let proof = try run(
      "evidence", finding["fingerprint"] ?? "", "--report", report, "--out", "case")
    #expect(proof.status == 0, "\(proof.errors)")
    let explained = try run("explain", finding["fingerprint"] ?? "", "--report", report)
    #expect(explained.status == 0, "\(explained.output)")
  }

  @Test(arguments: [
    (["--incident"], "--incident takes nights"), (["--days", "0"], "--days is at least 1"),
    (["--incident", "--days", "7", "--clean"], "--clean and --incident exclude each other"),
  ])
  func `a week that cannot be is bad usage`(_ flags: [String], _ message: String) throws {
    let outcome = try Program.forge(["--out", "x"] + flags, in: scratch.path)
    #expect(outcome.status == 64 && outcome.errors.contains(message), "\(outcome.errors)")
  }
}
