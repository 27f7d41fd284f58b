import Foundation
import TestSupport
import Testing

/// The index of events, and the memory that a run reports.
struct EndReportTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func run(_ arguments: String...) throws -> Program.Outcome {
    try Program.run(arguments, in: scratch.path)
  }

  @Test(arguments: ["default", "header-assertion"])
  func `events are the same however they come together`(_ schema: String) throws {
    let forged = try Program.forge(
      [
        "--out", "day", "--schema", schema, "--attacks", "all", "--keys", "20",
        "--assertions", "1500", "--seed", "8",
      ] + (schema == "default" ? ["--challenge-records"] : []), in: scratch.path)
    #expect(forged.status == 0, "\(forged.errors)")
    var events: [Data] = []
    for options in [
      [], ["--verdicts"], ["--state", "state", "--settle", "0s"],
      ["--memory", "64MiB", "--jobs", "5"],
    ] {
      let name = "r\(events.count)"
      let outcome = try Program.run(
        ["audit", "--pipeline", "day/pipeline.yaml", "--out", name, "--index", "--quiet"] + options,
        in: scratch.path)
      #expect(outcome.status < 64, "\(outcome.errors)")
      events.append(try Data(scratch.bytes(name + "/events.csv.zst")))
    }
    #expect(events.dropFirst().allSatisfy { $0 == events[0] })
    // Every record that is an event is there once.
    func rows(_ bytes: [UInt8]) throws -> [Substring] {
      try String(decoding: Packed.unpack(bytes), as: UTF8.self).split(separator: "\r\n")
    }
    let verdicts = try rows(scratch.bytes("r1/verdicts.csv.zst"))
      .filter { !$0.contains(#/,(skipped|unreadable),/#) }
    let found = try rows(Array(events[0])).filter { !$0.hasPrefix(",device,") }
    #expect(found.sorted() == verdicts.sorted())
  }

  @Test func `an index is the same where rows were spilled, which it reads a second time`() throws {
    let forged = try Program.forge(
      ["--out", "day", "--keys", "8", "--assertions", "10000", "--clean", "--seed", "5"],
      in: scratch.path)
    #expect(forged.status == 0, "\(forged.errors)")
    var events: [[UInt8]] = []
    var spilled: [Int] = []
    for memory in ["1GiB", "64MiB"] {
      let outcome = try run(
        "audit", "--pipeline", "day/pipeline.yaml", "--out", memory, "--index", "--quiet",
        "--jobs", "2", "--memory", memory)
      #expect(outcome.status == 0, "\(outcome.errors)")
      events.append(try scratch.bytes(memory + "/events.csv.zst"))
      let summary = try JSONSerialization.jsonObject(
        with: Data(scratch.bytes(memory + "/summary.json")))
      let facts = (summary as? [String: Any])?["run"] as? [String: Any]
      spilled.append(try #require(facts?["spilledBytes"] as? Int))
    }
    #expect(events[0] == events[1])
    #expect(spilled[0] == 0 && spilled[1] > 0)
  }

  @Test(.disabled(if: Sanitizer.isActive, "a sanitizer takes memory of its own"))
  func `the memory that is told is the program's, and not its parent's`() throws {
    let audit = try EndAudit()
    try audit.scratch.write("a.jsonl", audit.day.log())
    let ballast = [UInt8](repeating: 1, count: 400 << 20)
    #expect(try audit.run("a.jsonl", "--quiet").status == 0)
    #expect(ballast[ballast.count / 2] == 1)
    let peak = try audit.report.summary.run.peakMemoryBytes
    #expect(peak > 1 << 20 && peak < 300 << 20, "\(peak)")
  }
}
