import Foundation
import TestSupport
import Testing

/// The commands that look after a state, as they are typed.
struct EndStateTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// The shipped list of known keys.
  private static let list = "\(Repository.root)/testdata/known-keys.csv"

  private func run(
    _ arguments: String..., environment: [String: String] = [:], shell: String = "exec \"$@\""
  ) throws -> Program.Outcome {
    try Program.run(
      ["state"] + arguments, in: scratch.path, environment: environment, shell: shell)
  }

  /// Makes a state by an audit of the synthetic day: 3 keys and 33 requests.
  private func makeState() throws {
    let day = SyntheticDay.shared
    try day.writeSettings(to: scratch)
    try scratch.write("day.jsonl", day.log())
    let outcome = try Program.run(
      [
        "audit", "day.jsonl", "--pipeline", "pipeline.yaml", "--state", "state", "--state-mode",
        "advance", "--settle", "0s", "--date", "2025-11-20",
      ], in: scratch.path)
    #expect(outcome == Program.Outcome(status: 0, output: "", errors: ""))
  }

  @Test func `nothing is made where no state is`() throws {
    for command in ["verify", "info", "keys", "export", "prune"] {
      let outcome = try run(command, "state")
      #expect(outcome.status == 70)
      #expect(
        outcome.errors
          == "attest-audit: error: there is no state at state\n"
          + "hint: a run with --state-mode advance makes one\n")
    }
    #expect(try scratch.names == [])
    #expect(try run().status == 64)
    #expect(try run("prune", "state", "--window", "soon").status == 64)
    #expect(try run("keys", "state", "nonsense").status == 64)
  }

  @Test func `an import makes the state that is not there, but not beside other files`() throws {
    let made = try run("import", "made", Self.list)
    #expect(made.status == 0 && made.errors == "", "\(made.errors)")
    #expect(made.output.hasSuffix(" keys added, 0 keys completed, 0 keys as they were\n"))
    #expect(try run("verify", "made").status == 0)
    #expect(try run("keys", "made").output.contains(",known,"))
    // A list that cannot be read makes nothing.
    try scratch.write("broken.csv", Array("keyId\n".utf8))
    #expect(try run("import", "other", "broken.csv").status == 65)
    #expect(try !scratch.names.contains("other"))
    try scratch.write("folder/somebody.txt", [1])
    let refused = try run("import", "folder", Self.list)
    #expect(refused.status == 64 && refused.output == "")
    #expect(refused.errors.split(separator: "\n").count == 2, "\(refused.errors)")
    #expect(try scratch.contents("folder") == ["somebody.txt"])
  }

  @Test func `a whole state is told in one line, a damaged one is named with status 70`() throws {
    try makeState()
    let whole = try run("verify", "state")
    #expect(whole.status == 0)
    #expect(whole.errors == "")
    #expect(whole.output.hasPrefix("the state state is whole: "))
    #expect(whole.output.filter { $0 == "\n" }.count == 1)
    var bytes = try scratch.bytes("state/hashes/1.seg")
    bytes[5000] ^= 1
    try scratch.write("state/hashes/1.seg", bytes)
    let damaged = try run("verify", "state")
    #expect(damaged.status == 70)
    #expect(damaged.output == "")
    #expect(
      damaged.errors.hasPrefix(
        "attest-audit: error: the state is damaged: hashes/1.seg: the block at byte 4096 "))
  }

  @Test func `info tells the numbers, as text and as JSON`() throws {
    try makeState()
    let text = try run("info", "state")
    #expect(text.status == 0)
    #expect(text.output.contains("hashes       33 remembered in 1 segments"))
    let json = try run("info", "state", "--json")
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(object["keys"] as? Int == 3)
    #expect(object["rememberedHashes"] as? Int == 33)
    #expect((object["latestRuns"] as? [[String: Any]])?.first?["day"] as? String == "2025-11-20")
  }

  @Test func `keys are asked for in hex, base64 and base64url`() throws {
    try makeState()
    let all = try run("keys", "state")
    let rows = all.output.split(separator: "\r\n")
    #expect(rows.count == 4)
    let hex = String(rows[2].prefix(64))
    let base64 = String(rows[2].suffix(44))
    for name in [hex, base64, String(base64.dropLast())] {
      let outcome = try run("keys", "state", name)
      #expect(outcome.output.split(separator: "\r\n").dropFirst() == [rows[2]])
    }
    let unknown = try run("keys", "state", String(repeating: "ab", count: 32))
    #expect(unknown.status == 0)
    #expect(unknown.output.split(separator: "\r\n").count == 1)
    #expect(unknown.errors.contains("the state does not know the key"))
  }

  @Test func `what is exported can be imported, and says the same`() throws {
    try makeState()
    let imported = try run("import", "state", Self.list)
    #expect(imported.status == 0)
    #expect(imported.output.contains("keys added"))
    let again = try run("import", "state", Self.list)
    #expect(again.output.hasPrefix("0 keys added, 0 keys completed"))
    for format in ["jsonl", "csv"] {
      let exported = try run("export", "state", "--format", format)
      #expect(exported.status == 0)
      #expect(try run("export", "state", "--format", format, "--out", "-") == exported)
      try scratch.write("list", exported.output)
      let back = try run("import", "state", "list")
      #expect(back.status == 0)
      #expect(back.output.hasPrefix("0 keys added, 0 keys completed"))
    }
    let file = try run("export", "state", "--out", "keys.jsonl")
    #expect(file.status == 0)
    #expect(file.output == "")
    #expect(
      String(decoding: try scratch.bytes("keys.jsonl"), as: UTF8.self)
        == (try run("export", "state").output))
    #expect(try run("export", "state", "--out", "no/where").status == 73)
    #expect(try run("import", "state", "missing").status == 65)
    #expect(try run("verify", "state").status == 0)
  }

  @Test func `a state that is held is told with status 75, and waited for`() throws {
    try makeState()
    let held = try run(
      "import", "state", Self.list, shell: "exec flock state/lock \"$@\"")
    #expect(held.status == 75)
    #expect(held.errors.hasPrefix("attest-audit: error: another run holds the state state"))
    #expect(held.errors.hasSuffix("hint: --wait-lock 10m waits for it\n"))
    #expect(try run("info", "state", shell: "exec flock state/lock \"$@\"").status == 0)
    let waited = try run(
      "prune", "state", "--wait-lock", "30s",
      shell: "flock state/lock sleep 1 & sleep 0.3; \"$@\"")
    #expect(waited.status == 0)
    #expect(waited.output.hasPrefix("0 segments and 0 closed findings forgotten"))
  }

  @Test func `killed at any step, an import has been or has not`() throws {
    try makeState()
    let before = try run("keys", "state").output
    var steps = 0
    for step in 1...500 {
      let outcome = try run(
        "import", "state", Self.list, environment: ["ATTEST_AUDIT_TEST_KILL": "\(step)"])
      #expect(try run("verify", "state").status == 0)
      steps = step
      if outcome.status == 0 { break }
      #expect(outcome.status == 137)
      if try run("keys", "state").output != before { break }
    }
    #expect(steps > 10)
    #expect(try run("import", "state", Self.list).output.hasPrefix("0 keys added"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/state").sorted()
        == [
          "events", "generations", "hashes", "lock", "state.sqlite", "state.sqlite-shm",
          "state.sqlite-wal",
        ])
  }

  @Test(.disabled(if: Sanitizer.isActive, "the limit hits the sanitizer itself"))
  func `a limit on files is told as what it is, and changes nothing`() throws {
    try makeState()
    let before = try run("keys", "state").output
    let outcome = try run("import", "state", Self.list, shell: "ulimit -f 40; exec \"$@\"")
    #expect(outcome.status == 73)
    #expect(outcome.errors.contains("cannot write state.sqlite: "))
    #expect(try run("verify", "state").status == 0)
    #expect(try run("keys", "state").output == before)
  }
}
