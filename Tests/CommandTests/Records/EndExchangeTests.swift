import Foundation
import TestSupport
import Testing

/// The keys that one state knows, taken to another.
struct EndExchangeTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Forges logs in two files of each edge, the second night's being those of the second.
  private func forge(_ flags: [String]) throws -> [[String]] {
    let forged = try Program.forge(
      ["--out", "day", "--files", "4", "--keys", "12", "--assertions", "300"] + flags,
      in: scratch.path)
    #expect(forged.status == 0, "\(forged.errors)")
    let names = try scratch.contents("day/logs").filter { !$0.hasPrefix("edge-z") }
    for name in names {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)],
        ofItemAtPath: scratch.path + "/day/logs/" + name)
    }
    func index(_ name: String) -> Int { Int(name.dropFirst(7).prefix(5)) ?? 0 }
    let most = names.map(index).max() ?? 0
    return [false, true].map { isLate in
      names.filter { (index($0) * 2 > most) == isLate }.map { "day/logs/" + $0 }
    }
  }

  private func night(_ inputs: [String], _ state: String, _ report: String) throws -> Set<String> {
    let outcome = try Program.run(
      ["audit"] + inputs + ["--pipeline", "day/pipeline.yaml", "--state", state, "--out", report]
        + ["--quiet"], in: scratch.path)
    #expect([0, 1, 2].contains(outcome.status), "\(outcome.errors)")
    // What is about hashes and challenges is no matter of keys.
    return Set(
      try scratch.report(report).findingRows.filter { row in
        let code = row["code"] ?? ""
        return code.hasPrefix("counter.") || code.hasPrefix("key.")
      }.map { "\($0["code"] ?? "") \($0["source"] ?? ""):\($0["line"] ?? "")" })
  }

  /// Returns the rows of the keys in the state, without the status: an import makes keys known that
  /// nobody had attested.
  private func keys() throws -> [[String: String]] {
    let outcome = try Program.run(["state", "keys", "state"], in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try CSVTable.rows(Array(outcome.output.utf8)).map { row in
      row.filter { $0.key != "status" }
    }
  }

  @Test func `a list that was used as --keys the night before loses nothing when it is imported`()
    throws
  {
    let day = SyntheticDay.shared
    try day.writeSettings(to: scratch)
    let isAssertion = day.lines.map { !$0.contains("\"challenge\"") }
    let assertions = zip(day.lines, isAssertion).filter(\.1).map { $0.0 + "\n" }.joined()
    for (name, log) in [("all", day.log()), ("assertions", Array(assertions.utf8))] {
      try scratch.write(name, log)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)],
        ofItemAtPath: scratch.path + "/" + name)
    }
    func run(_ arguments: String...) throws -> String {
      let outcome = try Program.run(arguments, in: scratch.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      return outcome.output
    }
    _ = try run("audit", "all", "--pipeline", "pipeline.yaml", "--state", "first", "--out", "one")
    // No more than what a server knows of its keys.
    let list = try run("state", "export", "first").split(separator: "\n").map { line in
      let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let kept = try #require(row).filter { ["keyId", "publicKey", "appId"].contains($0.key) }
      return String(decoding: try JSONSerialization.data(withJSONObject: kept), as: UTF8.self)
    }
    try scratch.write("list.jsonl", list.joined(separator: "\n"))
    _ = try run(
      "audit", "assertions", "--pipeline", "pipeline.yaml", "--keys", "list.jsonl", "--state",
      "state", "--out", "two")
    let before = try keys()
    #expect(before.count == 3)
    #expect(before.allSatisfy { ($0["last_counter"].flatMap { Int($0) } ?? 0) > 5 })
    _ = try run("state", "import", "state", "list.jsonl")
    #expect(try keys() == before)
  }

  @Test func `an old list lowers no counter and takes no subject`() throws {
    let nights = try forge(["--seed", "71", "--attacks", "counter"])
    _ = try night(nights[0], "state", "one")
    let before = try keys()
    let exported = try Program.run(
      ["state", "export", "state", "--out", "list.jsonl"], in: scratch.path)
    #expect(exported.status == 0)
    // A list of long ago: counters are lower, and nobody has a subject.
    let old = String(decoding: try scratch.bytes("list.jsonl"), as: UTF8.self)
      .replacing(#/"lastCounter":[0-9]+/#, with: "\"lastCounter\":0")
      .replacing(#/"subject":"[^"]*"/#, with: "\"subject\":\"somebody else\"")
    try scratch.write("old.jsonl", Array(old.utf8))
    #expect(
      try Program.run(["state", "import", "state", "old.jsonl"], in: scratch.path).status == 0)
    #expect(try keys() == before)
  }

  @Test func `the first attestation of an imported key is no re-attestation, the second is`() throws
  {
    let day = SyntheticDay.shared
    try day.writeSettings(to: scratch)
    func log(_ name: String, _ lines: [String]) throws {
      try scratch.write(name, Array(lines.map { $0 + "\n" }.joined().utf8))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)],
        ofItemAtPath: scratch.path + "/" + name)
    }
    func run(_ arguments: String...) throws -> String {
      let outcome = try Program.run(arguments, in: scratch.path)
      #expect([0, 1].contains(outcome.status), "\(outcome.errors)")
      return outcome.output
    }
    func audit(_ name: String, _ state: String) throws -> [String] {
      _ = try run(
        "audit", name, "--pipeline", "pipeline.yaml", "--state", state, "--out", "\(state)-\(name)",
        "--quiet")
      return try scratch.report("\(state)-\(name)").findings
    }
    try log("all", day.lines)
    let attestations = day.lines.filter { $0.contains("\"challenge\"") }
    try log("attestations", attestations)
    _ = try run("audit", "all", "--pipeline", "pipeline.yaml", "--state", "first", "--out", "one")
    let exported = try run("state", "export", "first")
    for (state, columns) in [
      ("bare", ["keyId", "publicKey", "appId"]),
      ("dated", ["keyId", "publicKey", "appId", "attestedAt", "lastCounter"]),
    ] {
      let rows = try exported.split(separator: "\n").map { line in
        let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let kept = try #require(row).filter { columns.contains($0.key) }
        return String(decoding: try JSONSerialization.data(withJSONObject: kept), as: UTF8.self)
      }
      try scratch.write("\(state).jsonl", rows.joined(separator: "\n"))
      _ = try run("state", "import", state, "\(state).jsonl")
      #expect(try audit("attestations", state) == [])
    }
    // What a log attested is exported so, and another attestation of it is told of.
    try scratch.write("logged.jsonl", exported)
    #expect(exported.contains("\"attestationLogged\":\"true\""))
    _ = try run("state", "import", "logged", "logged.jsonl")
    let again = try audit("attestations", "logged")
    #expect(again.count == attestations.count)
    #expect(again.allSatisfy { $0.hasPrefix("medium key.reattested ") })
  }

  @Test(arguments: ["default", "header-assertion"])
  func `exported and imported into an empty state, keys audit as in the original`(
    _ schema: String
  ) throws {
    let nights = try forge(["--seed", "72", "--schema", schema, "--attacks", "counter,key"])
    _ = try night(nights[0], "first", "one")
    try scratch.write("empty.jsonl", Array("\n".utf8))
    _ = try night(["empty.jsonl"], "second", "none")
    let exported = try Program.run(
      ["state", "export", "first", "--out", "list.jsonl"], in: scratch.path)
    #expect(exported.status == 0)
    if schema == "header-assertion" {
      let list = String(decoding: try scratch.bytes("list.jsonl"), as: UTF8.self)
      #expect(list.contains("\"deviceId\":"))
    }
    let imported = try Program.run(["state", "import", "second", "list.jsonl"], in: scratch.path)
    #expect(imported.status == 0, "\(imported.errors)")
    let original = try night(nights[1], "first", "two")
    let copy = try night(nights[1], "second", "two-copy")
    #expect(original.subtracting(copy) == [], "missing")
    #expect(copy.subtracting(original) == [], "extra")
  }
}
