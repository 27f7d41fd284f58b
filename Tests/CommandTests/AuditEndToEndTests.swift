import Foundation
import TestSupport
import Testing

@testable import attest_audit

/// The built program from logs to reports: what it prints, how it ends, what it leaves.
struct AuditEndToEndTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.write("empty.jsonl", "")
    // Just as many unreadable lines as are no doubt about the schema.
    try scratch.write("bad.jsonl", "not JSON\n{}\n" + String(repeating: "\n", count: 18))
    try scratch.write("worse.jsonl", "not JSON\n{}\n" + String(repeating: "\n", count: 17))
  }

  private func audit(
    _ arguments: String..., environment: [String: String] = [:], shell: String = "exec \"$@\""
  ) throws -> Program.Outcome {
    try Program.run(
      ["audit", "--app-id", "A.b"] + arguments, in: scratch.path, environment: environment,
      shell: shell)
  }

  private static let badBlock = """
    2 findings
      medium     2
        record.malformed_json                 1
        record.missing_field                  1
    keys     none
    records  0 attestations, 0 assertions, 0 challenges, 2 unreadable
    inputs   1 file

    """

  @Test func `nothing found is nothing printed`() throws {
    #expect(
      try audit("empty.jsonl", "--out", "r")
        == Program.Outcome(status: 0, output: "", errors: ""))
    #expect(try scratch.names == ["bad.jsonl", "empty.jsonl", "r", "worse.jsonl"])
  }

  @Test func `findings below the level to fail on are not printed`() throws {
    #expect(
      try audit("bad.jsonl") == Program.Outcome(status: 0, output: "", errors: ""))
    #expect(
      try audit("bad.jsonl", "--fail-on", "never")
        == Program.Outcome(status: 0, output: "", errors: ""))
  }

  @Test func `findings at the level to fail on are printed and change the status`() throws {
    #expect(
      try audit("bad.jsonl", "--fail-on", "medium")
        == Program.Outcome(status: 1, output: Self.badBlock, errors: ""))
    #expect(
      try audit("bad.jsonl", "--fail-on", "medium", "--quiet", "--log-level", "error")
        == Program.Outcome(status: 1, output: "", errors: ""))
  }

  @Test func `an input that is another log wins the status, and keeps its report`() throws {
    let notice =
      "attest-audit: notice: 2 of 19 lines of worse.jsonl cannot be read with the schema "
    let advice = ": is it another log? attest-audit init worse.jsonl infers a schema\n"
    for level in ["high", "medium", "never"] {
      let outcome = try audit(
        "worse.jsonl", "empty.jsonl", "--out", level, "--fail-on", level, "--quiet")
      #expect(
        outcome
          == Program.Outcome(status: 2, output: "", errors: notice + "default" + advice))
      #expect(try scratch.report(level).summary.records["unreadable"] == 2)
    }
    // Lines that no rule fits are not unreadable, whatever they are.
    let capgo = try audit("worse.jsonl", "--schema", "capgo", "--quiet")
    #expect(capgo == Program.Outcome(status: 2, output: "", errors: notice + "capgo" + advice))
    try scratch.write("p.yaml", "limits: {rejectRate: 50%}\n")
    #expect(try audit("worse.jsonl", "--pipeline", "p.yaml").status == 0)
    try scratch.write("p.yaml", "limits: {rejectRate: 0%}\n")
    #expect(try audit("bad.jsonl", "--pipeline", "p.yaml", "--quiet").status == 2)
    #expect(try audit("empty.jsonl", "--pipeline", "p.yaml", "--quiet").status == 0)
  }

  @Test func `an input that is not there is found, and wins the status`() throws {
    let outcome = try audit("nope.jsonl", "empty.jsonl")
    #expect(outcome.status == 2)
    #expect(
      outcome.output == """
        1 finding
          high      stream.unreadable  no time                   no key                nope.jsonl
          high       1
            stream.unreadable                     1
        keys     none
        records  0 attestations, 0 assertions, 0 challenges
        inputs   2 files, 1 unreadable
          nope.jsonl: The input cannot be read: no such file or directory.

        """)
  }

  @Test func `standard input has the name that it is given`() throws {
    let outcome = try audit(
      "-", "--stdin-name", "pipe", "--out", "r", shell: "exec \"$@\" < bad.jsonl")
    #expect(outcome.status == 0)
    let rejects = try Data(contentsOf: URL(fileURLWithPath: scratch.path + "/r/rejects.jsonl"))
    #expect(String(decoding: rejects, as: UTF8.self).hasPrefix("{\"source\":\"pipe\",\"line\":1,"))
  }

  @Test func `a closed pipe changes neither status nor standard error`() throws {
    let outcome = try audit(
      "bad.jsonl", "--fail-on", "medium",
      shell: "{ sleep 0.3; \"$@\"; echo $? > status; } | true; sleep 1; cat status")
    #expect(outcome == Program.Outcome(status: 0, output: "1\n", errors: ""))
  }

  @Test(.disabled(if: Sanitizer.isActive, "the limit hits the sanitizer itself"))
  func `a report that meets a limit is not half-written`() throws {
    let outcome = try audit(
      "bad.jsonl", "--out", "r", "--log-level", "error",
      shell: "(ulimit -f 0; \"$@\"; echo $?) 2>&1 | cat")
    #expect(
      outcome.output
        == "attest-audit: error: cannot write findings.csv: file too large\n73\n")
    #expect(try scratch.names == ["bad.jsonl", "empty.jsonl", "worse.jsonl"])
  }

  @Test func `overwrite replaces the report of the day before`() throws {
    #expect(try audit("bad.jsonl", "--out", "r").status == 0)
    #expect(try audit("empty.jsonl", "--out", "r").status == 73)
    #expect(try audit("empty.jsonl", "--out", "r", "--overwrite").status == 0)
    let findings = try Data(contentsOf: URL(fileURLWithPath: scratch.path + "/r/findings.jsonl"))
    #expect(findings.isEmpty)
    #expect(try scratch.names == ["bad.jsonl", "empty.jsonl", "r", "worse.jsonl"])
  }

  @Test(arguments: [("INT", 130), ("TERM", 143)] as [(String, Int32)])
  func `a signal ends the run quickly and leaves nothing`(_ name: String, _ status: Int32) throws {
    // The program waits for a pipe that nobody writes to; it is signalled once it has begun.
    let beginning = Sanitizer.isActive ? 20 : 1
    let outcome = try audit(
      "-", "--out", "r",
      shell: """
        mkfifo pipe; sleep 60 > pipe & writer=$!
        "$@" < pipe & audit=$!
        sleep \(beginning); kill -\(name) $audit; wait $audit; status=$?
        kill $writer; rm pipe; exit $status
        """)
    let said = status == 130 ? "interrupted" : "terminated"
    #expect(
      outcome
        == Program.Outcome(
          status: status, output: "", errors: "attest-audit: \(said): nothing was written\n"))
    #expect(try scratch.names == ["bad.jsonl", "empty.jsonl", "worse.jsonl"])
  }

  @Test func `the same run twice gives the same bytes but for the summary`() throws {
    for name in ["r1", "r2"] { _ = try audit("bad.jsonl", "--out", name, "--verdicts") }
    for file in ["findings.csv", "findings.jsonl", "keys.csv", "rejects.jsonl", "verdicts.csv.zst"]
    {
      let first = try Data(contentsOf: URL(fileURLWithPath: "\(scratch.path)/r1/\(file)"))
      let second = try Data(contentsOf: URL(fileURLWithPath: "\(scratch.path)/r2/\(file)"))
      #expect(first == second)
    }
  }
}
