import TestSupport
import Testing

/// Runs that may open few files.
@Suite(.disabled(if: Sanitizer.isActive, "a sanitizer opens files of its own"))
struct EndDescriptorTests {
  private let audit: EndAudit

  init() throws {
    audit = try EndAudit()
    try audit.scratch.write("a.jsonl", audit.day.log())
    // The same requests without identifiers: replays, not lines that are read once.
    let again = try (0..<30).map { try audit.day.line($0, ["requestId": nil]) + "\n" }
    try audit.scratch.write("b.jsonl", again.joined() + "x\n")
  }

  private func run(_ limit: Int, _ flags: [String] = []) throws -> Program.Outcome {
    try Program.run(
      ["audit", "a.jsonl", "b.jsonl", "--pipeline", "pipeline.yaml", "--out", "report", "--quiet"]
        + flags, in: audit.scratch.path, shell: "ulimit -n \(limit); exec \"$@\"")
  }

  @Test(arguments: 10...16)
  func `with very few nothing is begun`(_ limit: Int) throws {
    let before = try audit.scratch.names
    for flags in [[], ["--verdicts"], ["--state", "state", "--state-mode", "advance"]] {
      let outcome = try run(limit, flags)
      #expect(outcome.status == 73, "\(outcome.errors)")
      #expect(
        outcome.errors.hasPrefix(
          "attest-audit: error: the process may have \(limit) open files, and a run may need "))
      #expect(outcome.errors.contains("\nhint: ulimit -n "))
      #expect(!outcome.errors.contains("permission denied"))
      #expect(try audit.scratch.names == before)
    }
  }

  @Test(arguments: [24, 25, 26, 28, 30, 32, 40, 64])
  func `with a few a run ends well, or says what it lacks and leaves nothing`(_ limit: Int) throws {
    let before = try audit.scratch.names
    for flags in [[], ["--verdicts", "--state", "state", "--state-mode", "advance"]] {
      let outcome = try run(limit, flags)
      #expect([1, 73].contains(outcome.status), "\(limit): \(outcome.errors)")
      #expect(!outcome.errors.contains("permission denied"))
      let left = try audit.scratch.names.filter { !before.contains($0) && $0 != "state" }
      if outcome.status == 73 {
        #expect(outcome.errors.contains("too many open files"), "\(outcome.errors)")
        #expect(left == [])
      } else {
        #expect(left == (flags.isEmpty ? ["report"] : ["report", "report.2"]))
      }
    }
  }
}
