import Foundation
import TestSupport
import Testing

/// `report`, `diff`, `timeline` and findings on standard output, with the built program.
struct EndReportTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// An audit of the forged day into `name`.
  private func audit(_ name: String, _ options: String...) throws {
    _ = try Program.run(
      ["audit", "--pipeline", "testdata/pipeline.yaml", "--out", "\(scratch.path)/\(name)"]
        + options, in: Repository.root)
  }

  private func run(_ arguments: String...) throws -> Program.Outcome {
    try Program.run(arguments, in: scratch.path)
  }

  @Test func `a report is rendered again to the byte, in place and elsewhere`() throws {
    try audit("a", "--format", "ocsf,ecs,timesketch", "--index", "--verdicts", "--jobs", "1")
    try audit(
      "b", "--format", "timesketch,ecs,ocsf", "--index", "--verdicts", "--jobs", "5", "--memory",
      "64MiB")
    let names = try scratch.contents("a").filter {
      !["manifest.json", "summary.json"].contains($0)
    }
    #expect(names.count == 11)
    for name in names {
      #expect(
        try scratch.bytes("a/\(name)") == scratch.bytes("b/\(name)"), "\(name) depends on threads")
    }
    let before = try names.map { try scratch.bytes("a/\($0)") }
    for name in ["findings.csv", "report.html", "findings.timesketch.jsonl"] {
      try FileManager.default.removeItem(atPath: "\(scratch.path)/a/\(name)")
    }
    #expect(
      try run("report", "a", "--format", "timesketch") == .init(status: 0, output: "", errors: ""))
    #expect(try names.map { try scratch.bytes("a/\($0)") } == before)
    #expect(try run("report", "b", "--out", "c").status == 0)
    #expect(try names.map { try scratch.bytes("c/\($0)") } == before)
    #expect(try run("report", "b", "--out", "c").status == 73)
    #expect(try run("report", "b", "--out", "c", "--overwrite").status == 0)
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

  @Test func `a report of a run with a state is rendered again as well`() throws {
    for name in ["a", "b"] {
      try audit(name, "--state", scratch.path + "/state", "--date", "2026-03-01")
    }
    for name in ["a", "b"] {
      #expect(try run("report", name, "--out", name + "2").status == 0)
      #expect(try scratch.contents(name).contains("withdrawn.csv"))
      for file in try scratch.contents(name) {
        #expect(try scratch.bytes("\(name)/\(file)") == scratch.bytes("\(name)2/\(file)"))
      }
    }
    #expect(try scratch.report("a").text("report.html").contains("Withdrawn (0)"))
  }

  @Test func `what is no report is not rendered`() throws {
    try scratch.write("thesis/manifest.json", "{}")
    try scratch.write("thesis/chapter.txt", "precious")
    for arguments in [["report", "thesis"], ["report", "none"], ["diff", "none", "thesis"]] {
      let outcome = try Program.run(arguments, in: scratch.path)
      #expect(outcome.status == 65 && outcome.output.isEmpty, "\(outcome.errors)")
      #expect(outcome.errors.hasSuffix("hint: name a whole report folder, as audit wrote it\n"))
    }
    #expect(try scratch.contents("thesis") == ["chapter.txt", "manifest.json"])
    #expect(try run("report", "thesis", "--format", "pdf").status == 64)
  }

  @Test func `findings go into a pipe, in one format`() throws {
    try audit("a", "--format", "ocsf")
    for format in ["jsonl", "ocsf", "csv"] {
      let file = format == "ocsf" ? "findings.ocsf.jsonl" : "findings.\(format)"
      let outcome = try Program.run(
        ["audit", "--pipeline", "testdata/pipeline.yaml", "--out", "-", "--format", format],
        in: Repository.root)
      #expect(outcome.status == 2)
      #expect(outcome.output == (try scratch.report("a").text(file)))
      #expect(try run("report", "a", "--out", "-", "--format", format).output == outcome.output)
    }
    let closed = try Program.run(
      ["audit", "--pipeline", "testdata/pipeline.yaml", "--out", "-"], in: Repository.root,
      shell: #"bash -c '"$@" | head -c 1 | wc -c; exit ${PIPESTATUS[0]}' bash "$@""#)
    #expect(closed.status == 2 && closed.output.contains("1"))
  }

  @Test(arguments: [
    ["--out", "-", "--format", "ocsf,ecs"], ["--out", "-", "--verdicts"],
    ["--out", "-", "--index"],
    ["--format", "ocsf"], ["--index"], ["--out", "x", "--format", "ocfs"],
  ])
  func `what standard output cannot take is bad usage`(_ flags: [String]) throws {
    let outcome = try Program.run(
      ["audit", "x.jsonl", "--app-id", "ABCDE12345.x"] + flags, in: scratch.path)
    #expect(outcome.status == 64, "\(outcome.errors)")
  }

  @Test func `two reports differ in what is new, gone or more severe`() throws {
    try audit("all")
    try audit("less", "--replay-scope", "exact", "--counter-gap", "1")
    let none = try run("diff", "all", "all")
    #expect(none.status == 0)
    #expect(none.output.hasPrefix("0 new, 0 more severe, 0 gone, "))
    let some = try run("diff", "all", "less")
    #expect(some.status == 1 && some.output.contains("\ngone "))
    #expect(some.output.contains("counter.gap"))
    let lines = try run("diff", "all", "less", "--format", "jsonl").output.split(separator: "\n")
    #expect(lines.count + 1 == some.output.split(separator: "\n").count)
    for line in lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(["new", "gone", "more severe"].contains(object?["change"] as? String))
    }
  }

  @Test func `a timeline is the same from an index and from logs`() throws {
    try audit("a", "--index")
    let rows = try scratch.report("a").findingRows
    let row = try #require(rows.first { $0["code"] == "replay.cross_key" })
    for selection in [
      ["--key", row["key_id"] ?? ""], ["--key", row["key_id_base64"] ?? ""],
      ["--hash", row["client_data_hash"] ?? ""], ["--request", row["request_id"] ?? ""],
      ["--subject", row["subject"] ?? ""],
    ] where selection.last?.isEmpty == false {
      for format in ["text", "csv", "jsonl"] {
        let arguments = ["timeline"] + selection + ["--format", format]
        let indexed = try Program.run(arguments + ["--report", "a"], in: scratch.path)
        let read = try Program.run(
          arguments + ["--pipeline", "testdata/pipeline.yaml"], in: Repository.root)
        #expect(indexed.output == read.output, "\(selection)")
        #expect(indexed.status == 0 && !indexed.output.isEmpty)
        if format == "text" {
          #expect(indexed.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
          #expect(!indexed.output.contains("\u{1B}"))
        }
      }
    }
    let picture = try run(
      "timeline", "--key", row["key_id"] ?? "", "--report", "a", "--svg", "key.svg")
    #expect(picture.status == 0)
    #expect(try String(decoding: scratch.bytes("key.svg"), as: UTF8.self).hasPrefix("<svg "))
  }

  @Test(arguments: ["default", "header-assertion"])
  func `every key's timeline is the same from an index and from logs`(schema: String) throws {
    let forged = try Program.forge(
      [
        "--out", "day", "--schema", schema, "--attacks", "all", "--seed", "7",
        "--keys", "12", "--assertions", "240", "--files", "3",
      ], in: scratch.path)
    #expect(forged.status == 0, "\(forged.errors)")
    _ = try run("audit", "--pipeline", "day/pipeline.yaml", "--out", "r", "--index", "--quiet")
    let keys = try Set(CSVTable.rows(scratch.bytes("r/keys.csv")).compactMap { $0["key_id"] })
    #expect(keys.count > 12)
    for key in keys.sorted().enumerated().filter({ $0.offset % 4 == 0 }).map(\.element) {
      let query = ["timeline", "--key", key, "--format", "csv"]
      let indexed = try Program.run(query + ["--report", "r"], in: scratch.path)
      let read = try Program.run(query + ["--pipeline", "day/pipeline.yaml"], in: scratch.path)
      // Some of the day's files are damaged.
      #expect(indexed.output == read.output && read.status == 2, "\(key)")
    }
    // Several keys at once, some of which share a hash.
    let all = ["timeline", "--format", "csv"] + keys.sorted().flatMap { ["--key", $0] }
    let indexed = try Program.run(all + ["--report", "r"], in: scratch.path)
    let read = try Program.run(all + ["--pipeline", "day/pipeline.yaml"], in: scratch.path)
    #expect(indexed.output == read.output && read.output.contains("replay."))
  }

  @Test func `a timeline of what cannot be read to its end is one in part`() throws {
    _ = try Program.forge(
      ["--out", "day", "--clean", "--keys", "2", "--assertions", "6", "--files", "2"],
      in: scratch.path)
    func timeline(_ input: String) throws -> Program.Outcome {
      try run(
        "timeline", input, "--pipeline", "day/pipeline.yaml", "--subject", "nobody")
    }
    #expect(try timeline("day/logs").status == 0)
    let logs = try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/day/logs")
    let name = "day/logs/" + (try #require(logs.first { $0.hasSuffix(".zst") }))
    let whole = try scratch.bytes(name)
    try scratch.write("cut.jsonl.zst", Array(whole.dropLast(20)))
    for input in ["cut.jsonl.zst", "missing.jsonl"] {
      let outcome = try timeline(input)
      #expect(outcome.status == 2 && outcome.output == "no events\n", "\(outcome)")
      #expect(outcome.errors.contains("warning: an input was not read to its end"))
    }
  }

  @Test func `a device's timeline is that of its keys, from an index and from logs`() throws {
    let forged = try Program.forge(
      [
        "--out", "day", "--schema", "header-assertion", "--attacks", "all", "--seed", "4",
        "--keys", "6", "--assertions", "120", "--files", "2",
      ], in: scratch.path)
    #expect(forged.status == 0, "\(forged.errors)")
    _ = try run(
      "audit", "--pipeline", "day/pipeline.yaml", "--out", "r", "--index", "--quiet")
    // Which device has which key, as the logs say it.
    struct Enrolment: Decodable {
      var event: String?
      var deviceId: String?
      var keyId: String?
    }
    var keys: [String: Set<String>] = [:]
    for name in try scratch.contents("day/logs") where !name.contains("edge-z") {
      for line in try Packed.unpack(scratch.bytes("day/logs/\(name)")).split(separator: 10) {
        guard let enrolment = try? JSONDecoder().decode(Enrolment.self, from: Data(line)),
          let device = enrolment.deviceId, let key = enrolment.keyId
        else { continue }
        keys[device, default: []].insert(key)
      }
    }
    let devices = keys.filter { $0.value.count == 1 }.sorted { $0.key < $1.key }.prefix(3)
    #expect(devices.count == 3)
    for (device, keys) in devices {
      let indexed = try run("timeline", "--device", device, "--report", "r", "--format", "csv")
      let read = try run(
        "timeline", "--device", device, "--pipeline", "day/pipeline.yaml", "--format", "csv")
      let byKey = try run(
        "timeline", "--key", keys.first ?? "", "--report", "r", "--format", "csv")
      #expect(indexed.status == 0, "\(indexed.errors)")
      #expect(indexed.output == read.output && indexed.output == byKey.output)
      #expect(indexed.output.split(separator: "\r\n").count > 2)
      for flags in [
        ["--from", "2026-03-01", "--to", "2026-03-01"], ["--decision", "accepted"],
        ["--app", "SYNTH00001.com.example.synthetic.bank"], ["--code", "replay"],
      ] {
        let some = try Program.run(
          ["timeline", "--device", device, "--report", "r", "--format", "csv"] + flags,
          in: scratch.path)
        #expect(some.status == 0)
        #expect(
          Set(some.output.split(separator: "\r\n"))
            .isSubset(of: indexed.output.split(separator: "\r\n")))
      }
    }
    #expect(try run("timeline", "--device", "none", "--report", "r").output == "no events\n")
  }

  @Test(
    arguments: [
      ([], "nothing is named to look for"), (["--key", "77"], "--key: '77' is not a key"),
      (["--hash", "zz"], "--hash: 'zz' is not hex"),
      (["--subject", "x", "--from", "noon"], "--from: 'noon' is not a day or a time"),
      (["--subject", "x", "--code", "replya"], "--code: no code is called 'replya'"),
      (["--subject", "x", "--decision", "maybe"], "--decision: 'maybe' is not one of"),
      (["--subject", "x", "--report", "a", "logs"], "a report and logs are both named"),
      (["--subject", "x"], "no input is given"),
    ] as [([String], String)])
  func `a timeline of nothing is bad usage`(_ flags: [String], _ message: String) throws {
    let outcome = try Program.run(["timeline"] + flags, in: scratch.path)
    #expect(outcome.status == 64)
    #expect(outcome.errors.hasPrefix("attest-audit: error: " + message), "\(outcome.errors)")
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
