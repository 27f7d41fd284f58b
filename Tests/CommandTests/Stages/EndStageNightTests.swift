import Foundation
import LogForge
import TestSupport
import Testing

/// Nights by stages, whose rows others shuffle, give the reports and the state of one process.
struct EndStageNightTests {
  private let day = ForgedDay()

  private var path: String { day.scratch.path }

  /// Forges a log and divides its files among three nights: one comes late, one damaged and whole on the
  /// last night, one twice.
  private func forge(_ schema: ForgedSchema, _ seed: Int) throws -> [[String]] {
    try day.forge([
      "--schema", schema.rawValue, "--attacks", "all", "--seed", "\(seed)", "--keys",
      "\(4 + seed)", "--assertions", "300", "--files", "6",
    ])
    let logs = path + "/day/logs"
    var nights: [[String]] = [[], [], []]
    for name in try FileManager.default.contentsOfDirectory(atPath: logs).sorted() {
      let number = Int(name.dropFirst(7).prefix(5)) ?? 5
      nights[(number / 2 + (number == 1 ? 1 : 0)) % 3].append("day/logs/" + name)
    }
    let first = try #require(nights[0].first)
    let whole = try day.scratch.bytes(first)
    try day.scratch.makeFolder("again")
    try day.scratch.write("again/whole.zst", whole)
    try day.scratch.write(first, Array(whole.prefix(whole.count * 2 / 3)))
    nights[2] += ["again/whole.zst", try #require(nights[1].first)]
    if schema == .default {
      try day.logDecisions(of: try #require(nights[1].first), again: "again/copy.jsonl")
      nights[2].append("again/copy.jsonl")
    }
    for name in nights.joined() {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: "\(path)/\(name)")
    }
    return nights
  }

  /// Makes two empty states of one secret key, so that their files can be compared.
  private func makeStates() throws {
    try day.scratch.write("none.csv", "keyId,publicKey,appId\n")
    let made = try Program.run(["state", "import", "state", "none.csv"], in: path)
    #expect(made.status == 0, "\(made.errors)")
    try FileManager.default.copyItem(atPath: path + "/state", toPath: path + "/staged-state")
  }

  private func whole(_ inputs: [String], _ number: Int, _ more: [String]) throws -> Int32 {
    let outcome = try Program.run(
      ["audit"] + inputs + ["--pipeline", "day/pipeline.yaml", "--quiet", "--verdicts"]
        + ["--state", "state", "--out", "one-\(number)"] + more, in: path)
    #expect([0, 1, 2].contains(outcome.status), "\(outcome.errors)")
    return outcome.status
  }

  private func play(_ state: String, _ more: [String] = [], parts: Int = 3) -> StagePlay {
    StagePlay(day: day, flags: ["--verdicts", "--state", state] + more, parts: parts)
  }

  /// Returns the output of a command about a state.
  private func said(_ words: [String], _ state: String) throws -> String {
    let outcome = try Program.run(["state"] + words + [state], in: path)
    #expect(outcome.status == 0, "\(words): \(outcome.errors)")
    return outcome.output
  }

  private func expectSameStates() throws {
    for kind in ["events", "hashes", "prefixes"] {
      let names = try ReportFolder(path: "\(path)/state/\(kind)").names
      #expect(try ReportFolder(path: "\(path)/staged-state/\(kind)").names == names)
      for name in names {
        #expect(
          try day.scratch.bytes("state/\(kind)/\(name)")
            == day.scratch.bytes("staged-state/\(kind)/\(name)"), "\(kind)/\(name)")
      }
    }
    for words in [["export"], ["findings"], ["keys"]] {
      #expect(try said(words, "state") == said(words, "staged-state"), "\(words)")
    }
    _ = try said(["verify"], "staged-state")
  }

  @Test(arguments: [(ForgedSchema.default, 1), (.headerAssertion, 2)])
  func `reports and state are those of one process, night after night`(
    _ schema: ForgedSchema, _ seed: Int
  ) throws {
    let nights = try forge(schema, seed)
    try makeStates()
    for (number, inputs) in nights.enumerated() {
      let date = ["--date", "2026-03-1\(number)"]
      let status = try whole(inputs, number, date)
      let play = play("staged-state", date, parts: 1 + (number + seed) % 4)
      #expect(try play.play(inputs, report: "many-\(number)") == status)
      try play.expectSame("one-\(number)", "many-\(number)")
      try expectSameStates()
    }
  }

  /// Tests that keys that a list has on a later night, or that are imported between nights, settle
  /// the events that had waited, also where the night has no record of them.
  @Test(arguments: [(false, ForgedSchema.headerAssertion), (true, .default)])
  func `lists that come later are as with one process`(
    _ isImported: Bool, _ schema: ForgedSchema
  ) throws {
    let nights = try forge(schema, 3)
    try makeStates()
    let everything = try Program.run(
      ["audit", "--pipeline", "day/pipeline.yaml", "--quiet", "--state", "all", "--out", "all-1"],
      in: path)
    #expect([0, 1, 2].contains(everything.status))
    try day.scratch.write("list.csv", Array(try said(["export"], "all").utf8))
    for (number, inputs) in nights.enumerated() {
      var more = ["--date", "2026-03-1\(number)"]
      if number == 1, isImported {
        for state in ["state", "staged-state"] {
          let outcome = try Program.run(["state", "import", state, "list.csv"], in: path)
          #expect(outcome.status == 0, "\(outcome.errors)")
        }
      } else if number == 1 {
        more += ["--keys", "list.csv"]
      }
      let status = try whole(inputs, number, more)
      let play = play("staged-state", more)
      #expect(try play.play(inputs, report: "many-\(number)") == status)
      try play.expectSame("one-\(number)", "many-\(number)")
      try expectSameStates()
    }
  }

  /// Returns the input of each stage of a second night.
  private func inputs() throws -> [(stage: String, stream: RowStream)] {
    let nights = try forge(.headerAssertion, 2)
    let play = play("state", parts: 1)
    _ = try play.play(nights[0], report: "first")
    var (sources, rows) = try play.mapped(nights[1])
    var all: [(stage: String, stream: RowStream)] = [("map", sources), ("recall", sources)]
    for stage in StagePlay.stages(sources) {
      let stream = StagePlay.input(sources, rows)
      all.append((stage, stream))
      rows = try play.stream(stage, stream).rows
    }
    return all + [("report", StagePlay.input(sources, rows))]
  }

  @Test func `no row brings a stage with a state down`() throws {
    var random = Generator(11)
    for (stage, stream) in try inputs() {
      for _ in 0..<6 {
        try? FileManager.default.removeItem(atPath: path + "/copy")
        try FileManager.default.copyItem(atPath: path + "/state", toPath: path + "/copy")
        let outcome = try play("copy").run(stage, stream.changed(&random).bytes())
        #expect([0, 1, 2, 70].contains(outcome.status), "\(stage): \(outcome.errors)")
        try? FileManager.default.removeItem(atPath: path + "/staged")
      }
    }
  }

  @Test func `what is lost, or of another run, is refused, and the state stays`() throws {
    let inputs = try inputs()
    let before = try day.scratch.bytes("state/state.sqlite")
    for (stage, stream) in inputs {
      var lost = stream
      lost.rows.removeAll { $0[0] == 1 }
      try play("state").expectRefused(
        stage, lost.bytes(), "what was decided about the inputs is missing")
      try StagePlay(day: day, flags: ["--verdicts"]).expectRefused(
        stage == "recall" ? "keys" : stage, stream.bytes(), status: 65)
      try play("state", ["--state-window", "3d"]).expectRefused(
        stage, stream.bytes(), status: 65)
    }
    var report = try #require(inputs.last?.stream)
    let memory = try #require(report.rows.firstIndex { $0[0] == 5 && $0[1] > 3 })
    report.rows.insert(report.rows[memory], at: memory)
    try play("state").expectRefused("report", report.bytes(), "a remembered row occurs in it twice")
    #expect(try day.scratch.bytes("state/state.sqlite") == before)
    _ = try said(["verify"], "state")
  }

  @Test func `a state that is not as it was written ends a stage`() throws {
    let inputs = try inputs()
    let names = try ReportFolder(path: path + "/state/events").names
    let segment = "state/events/" + (try #require(names.first))
    var bytes = try day.scratch.bytes(segment)
    bytes[5000] ^= 1
    try day.scratch.write(segment, bytes)
    for (stage, stream) in inputs where ["recall", "keys"].contains(stage) {
      try play("state").expectRefused(stage, stream.bytes(), "the state is damaged: events/1.seg")
    }
    let outcome = try play("none").run("map", inputs[0].stream.bytes())
    #expect(outcome.errors.contains("there is no state at"), "\(outcome.errors)")
  }
}
