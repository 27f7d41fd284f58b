import Foundation
import TestSupport
import Testing

/// `check` and `audit` on the pipeline files that come with the program, and on those that `forge`
/// writes.
struct EndCheckTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "pipelines").path

  private static let files =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    .filter { $0.hasSuffix(".yaml") }.sorted()

  private let scratch: Scratch
  private let environment: [String: String]

  init() throws {
    scratch = try Scratch()
    environment = [
      "APP_ID": "ABCDE12345.com.example.bank", "LOGS": scratch.path + "/logs",
      "REPORTS": scratch.path + "/reports", "CASE": scratch.path,
      "KEYS": scratch.path + "/keys.csv",
    ]
    try scratch.write("keys.csv", "keyId,publicKey,appId\n")
    try scratch.makeFolder("reports")
  }

  @Test func `there are pipeline files`() {
    #expect(Self.files.contains("nightly.yaml"))
    #expect(Self.files.contains("incident.yaml"))
    #expect(Self.files.contains("adhoc.yaml"))
  }

  @Test(arguments: files)
  func `a pipeline file that comes along is valid, and nothing is touched`(_ name: String) throws {
    let before = try scratch.names
    let outcome = try Program.run(
      ["check", "\(Self.folder)/\(name)", "--date", "2026-03-01"], in: scratch.path,
      environment: environment)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.output.contains("ABCDE12345.com.example.bank"))
    #expect(try scratch.names == before)
  }

  @Test(arguments: files)
  func `a variable that is not set is an error in its line`(_ name: String) throws {
    let outcome = try Program.run(["check", "\(Self.folder)/\(name)"], in: scratch.path)
    #expect(outcome.status == 65)
    #expect(outcome.output == "")
    #expect(
      outcome.errors.hasPrefix("attest-audit: error: \(Self.folder)/\(name):"),
      "\(outcome.errors)")
  }

  @Test(arguments: files)
  func `an audit by a pipeline file that comes along runs`(_ name: String) throws {
    try scratch.write("logs/2026-03-01/a.jsonl", "\n")
    try scratch.write("logs/b.jsonl", "\n\n")
    let inputs = name == "adhoc.yaml" ? ["logs", "--out", "report"] : []
    let outcome = try Program.run(
      ["audit", "--pipeline", "\(Self.folder)/\(name)", "--date", "2026-03-01"] + inputs,
      in: scratch.path, environment: environment)
    #expect(outcome == Program.Outcome(status: 0, output: "", errors: ""))
    let report =
      name == "nightly.yaml" ? scratch.report("reports/2026-03-01") : scratch.report("report")
    #expect(try report.summary.run.pipeline == "\(Self.folder)/\(name)")
    #expect(try report.summary.records["lines"] == (name == "nightly.yaml" ? 1 : 3))
  }

  @Test func `a forged pipeline file is valid`() throws {
    let forged = try Program.run(
      ["forge", "--out", "day", "--attacks", "all", "--keys", "3", "--assertions", "20"],
      in: scratch.path)
    #expect(forged.status == 0)
    let outcome = try Program.run(["check", "day/pipeline.yaml"], in: scratch.path)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.output.contains("SYNTH00001.com.example.synthetic.bank"))
    #expect(outcome.output.contains("day/anchors/synthetic-attestation-root.pem"))
  }

  @Test func `a mistake in a pipeline file is told with its line and the nearest name`() throws {
    try scratch.write("p.yaml", "version: 1\ninputs: [logs]\nlimits: {memroy: 1GiB}\n")
    #expect(
      try Program.run(["check", "p.yaml"], in: scratch.path)
        == Program.Outcome(
          status: 65, output: "",
          errors: "attest-audit: error: p.yaml:3: unknown key 'memroy' in 'limits'\n"
            + "hint: did you mean 'memory'?\n"))
    let outcome = try Program.run(
      ["audit", "--pipeline", "p.yaml", "--out", "report"], in: scratch.path)
    #expect(outcome.status == 65)
    #expect(try !scratch.names.contains("report"))
  }
}
