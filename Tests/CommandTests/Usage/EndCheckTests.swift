import Foundation
import TestSupport
import Testing

/// `check` and `audit` on the pipeline files that come with the program, and on those that `forge`
/// writes.
struct EndCheckTests {
  private static let folder = "\(Repository.root)/pipelines"

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
      "KEYS": scratch.path + "/keys.csv", "STATE": scratch.path + "/state",
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
    try scratch.write("logs/a.jsonl", "\n")
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
    // What was changed a moment ago would wait.
    for (path, text) in [
      ("logs/2026-03-01/a.jsonl", " \n"), ("logs/b.jsonl", "\t\n\n"), ("before/c.jsonl", "\n\n\n"),
    ] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600)],
        ofItemAtPath: try scratch.write(path, text))
    }
    // A state that can be examined is one that a nightly run has left.
    var before = environment
    before["LOGS"] = scratch.path + "/before"
    let first = try Program.run(
      ["audit", "--pipeline", "\(Self.folder)/nightly.yaml", "--date", "2026-02-28"],
      in: scratch.path, environment: before)
    #expect(first == Program.Outcome(status: 0, output: "", errors: ""))
    let inputs = name == "adhoc.yaml" ? ["logs", "--out", "report"] : []
    let outcome = try Program.run(
      ["audit", "--pipeline", "\(Self.folder)/\(name)", "--date", "2026-03-01"] + inputs,
      in: scratch.path, environment: environment)
    #expect(outcome == Program.Outcome(status: 0, output: "", errors: ""))
    let report =
      name == "nightly.yaml" ? scratch.report("reports/2026-03-01") : scratch.report("report")
    #expect(try report.summary.run.pipeline == "\(Self.folder)/\(name)")
    #expect(try report.summary.records["lines"] == 3)
  }

  @Test func `a forged pipeline file is valid`() throws {
    let forged = try Program.forge(
      ["--out", "day", "--attacks", "all", "--keys", "3", "--assertions", "20"],
      in: scratch.path)
    #expect(forged.status == 0)
    let outcome = try Program.run(["check", "day/pipeline.yaml"], in: scratch.path)
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("Macs send no bundle version"))
    #expect(outcome.output.contains("SYNTH00001.com.example.synthetic.bank"))
    #expect(outcome.output.contains("day/anchors/synthetic-attestation-root.pem"))
  }

  // MARK: From any folder

  /// The command in a pipeline file's first comment, as a shell takes it.
  private static func command(_ name: String) throws -> String {
    let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    let lines = text.split(separator: "\n").drop { !$0.hasPrefix("#   ") }
      .prefix { $0.hasPrefix("#   ") }
    return lines.map { $0.dropFirst(1) }.joined(separator: "\n")
  }

  @Test(arguments: files)
  func `a file's own command works from any folder`(_ name: String) throws {
    // No two of them are the same, or one would be known from the other.
    for (index, path) in [
      "lib/reports/x", "gateway/a.jsonl", "case/logs/a.jsonl", "here/yesterday.jsonl.zst",
    ].enumerated() {
      let text = String(repeating: " ", count: index) + "\n"
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600)],
        ofItemAtPath: try scratch.write(path, text))
    }
    try scratch.write("case/known-keys.csv", "keyId,publicKey,appId\n")
    func run(_ name: String, in folder: String) throws -> Program.Outcome {
      let command = try Self.command(name)
        .replacing("/usr/local/share/attest-audit/pipelines", with: Self.folder)
        .replacing("/var/lib/attest-audit", with: scratch.path + "/lib")
        .replacing("/var/log/gateway", with: scratch.path + "/gateway")
        .replacing("/srv/case-17", with: scratch.path + "/case")
      #expect(command.contains("attest-audit audit --pipeline \(Self.folder)/\(name)"))
      return try Program.run(
        [], in: folder, shell: command.replacing("attest-audit audit", with: "\"$1\" audit"))
    }
    // What the nightly runs left; this day's own run is another.
    let silent = Program.Outcome(status: 0, output: "", errors: "")
    if name != "nightly.yaml" {
      #expect(try run("nightly.yaml", in: scratch.path) == silent)
    }
    #expect(try run(name, in: scratch.path + "/here") == silent)
  }

  // MARK: Inputs

  @Test func `check says what there is to read`() throws {
    try scratch.write("logs/b/c/d.jsonl", "{}\n")
    try scratch.write("logs/b/e.jsonl", "\n")
    try scratch.write("logs/b/e.txt", "\n")
    try scratch.write("conf/p.yaml", "inputs: ['../logs/**/*.jsonl', ../logs/b/e.jsonl]\n")
    let outcome = try Program.run(["check", "conf/p.yaml"], in: scratch.path)
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
    #expect(outcome.output.hasSuffix("\ninputs now                2 files, 4 B, 1 named twice\n"))
  }

  @Test(arguments: [
    ("logz", "the input 'logz': no such file or directory", "did you mean 'logs'? "),
    ("logs/b", "the input 'logs/b': no such file or directory", ""),
    ("logs/aa.jsonl", "the input 'logs/aa.jsonl': no such file", "did you mean 'logs/a.jsonl'? "),
    ("'logs/*.gz'", "the input 'logs/*.gz': no file matches it", ""),
    ("'logs/**/*.gz'", "the input 'logs/**/*.gz': no file matches it", ""),
    ("reports/", "the input 'reports/': the folder holds no file", ""),
    (
      "'logs/a.jsonl/'", "the input 'logs/a.jsonl/': not a directory",
      "did you mean 'logs/a.jsonl'? "
    ),
  ])
  func `an input that is not there is an error, and --no-inputs leaves it out`(
    input: String, message: String, hint: String
  ) throws {
    try scratch.write("logs/a.jsonl", "\n")
    try scratch.write("p.yaml", "inputs: [logs, \(input)]\n")
    let outcome = try Program.run(["check", "p.yaml"], in: scratch.path)
    #expect(outcome.status == 65 && outcome.output == "")
    #expect(
      outcome.errors.hasPrefix("attest-audit: error: p.yaml: \(message)"), "\(outcome.errors)")
    #expect(
      outcome.errors.hasSuffix("\nhint: \(hint)--no-inputs leaves inputs out\n"),
      "\(outcome.errors)")
    #expect(
      try Program.run(["check", "p.yaml", "--no-inputs"], in: scratch.path).status == 0)
  }
}
