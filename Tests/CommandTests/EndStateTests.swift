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
}
