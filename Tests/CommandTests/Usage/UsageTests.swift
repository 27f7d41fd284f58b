import AuditReport
import Foundation
import TestSupport
import Testing

@testable import attest_audit

/// The built program on bad usage and bad files: nothing on standard output, one line and at most
/// one hint on standard error.
struct UsageTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  private func run(
    _ arguments: String..., environment: [String: String] = [:], shell: String = "exec \"$@\""
  ) throws -> Program.Outcome {
    try Program.run(
      arguments, in: scratch.path, environment: environment, shell: shell)
  }

  private static let help = "hint: attest-audit --help says more\n"

  static let mistakes: [(arguments: [String], status: Int32, errors: String)] = [
    (
      [], 64,
      "error: no command is given\nhint: there are audit, report, diff, timeline, "
        + "explain, inspect, evidence, check, init, forge, state\n"
    ),
    (
      ["evidence", "1f2e3d4c5b6a7988", "--report", "r", "--out", "-"], 64,
      "error: --out: standard output is no folder\nhint: --out DIR, or ./- for one of that name\n"
    ),
    (
      ["forge", "--out", "-"], 64,
      "error: --out: standard output is no folder\nhint: --out DIR, or ./- for one of that name\n"
    ),
    (
      ["bogus"], 64,
      "error: there is no command 'bogus'\nhint: there are audit, report, diff, timeline, "
        + "explain, inspect, evidence, check, init, forge, state\n"
    ),
    (
      ["chekc", "x"], 64,
      "error: there is no command 'chekc'\nhint: did you mean 'check'? there are audit, report, "
        + "diff, timeline, explain, inspect, evidence, check, init, forge, state\n"
    ),
    (
      ["state", "-"], 64,
      "error: there is no command '-' of state\nhint: there are verify, info, findings, keys, export, import, "
        + "prune\n"
    ),
    (["audit", "x", "--since", "1d"], 64, "error: unknown option '--since'\n" + help),
    (
      ["audit"], 64,
      "error: no input is given\n"
        + "hint: name files, folders or globs, - for standard input, or a --pipeline with inputs\n"
    ),
    (
      ["audit", "x"], 64,
      "error: no app is given\nhint: --app-id PREFIX.BUNDLE, or a --pipeline with apps\n"
    ),
    (
      ["audit", "--overwrit"], 64,
      "error: unknown option '--overwrit'\nhint: did you mean '--overwrite'?\n"
    ),
    (["audit", "--out"], 64, "error: missing value for '--out <folder>'\n" + help),
    (
      ["audit", "x", "--app-id", "a\nb"], 64,
      "error: --app-id: 'a\\u000ab' is not an App ID: a prefix, a point, and a bundle identifier\n"
    ),
    (
      ["audit", "x", "--app-id", "A.b", "--memory", "1"], 64,
      "error: --memory: '1' is not a size from 64MiB, such as 64MiB or 1GiB\n"
    ),
    (
      ["audit", "--pipeline", "no.yaml"], 65,
      "error: --pipeline: cannot read no.yaml: no such file or directory\n"
    ),
    (
      ["audit", "x", "--app-id", "A.b", "--keys", "no.csv"], 65,
      "error: --keys: cannot read no.csv: no such file or directory\n"
    ),
    (
      ["audit", "x", "--app-id", "A.b", "--trust-anchor", "no.pem"], 65,
      "error: --trust-anchor: cannot read no.pem: no such file or directory\n"
    ),
    (
      ["audit", "x", "--app-id", "A.b", "--out", "no/report"], 73,
      "error: cannot use no: no such file or directory\n"
    ),
    (["check"], 64, "error: missing expected argument '<file>'\n" + help),
    (["check", "no.yaml"], 65, "error: cannot read no.yaml: no such file or directory\n"),
    (
      ["check", "a", "--date", "x"], 64, "error: --date: 'x' is not a day such as 2026-03-01\n"
    ),
  ]

  @Test(arguments: mistakes.indices)
  func `bad usage is one line on standard error`(_ index: Int) throws {
    let mistake = Self.mistakes[index]
    let outcome = try Program.run(mistake.arguments, in: scratch.path)
    #expect(
      outcome
        == Program.Outcome(
          status: mistake.status, output: "", errors: "attest-audit: " + mistake.errors))
    #expect(try scratch.names.isEmpty)
  }

  @Test func `version and help are asked for, and go to standard output`() throws {
    let version = try run("--version")
    #expect(
      version == Program.Outcome(status: 0, output: "attest-audit \(Tool.version)\n", errors: ""))
    for arguments in [["--help"], ["audit", "--help"], ["check", "--help"]] {
      let help = try Program.run(arguments, in: scratch.path)
      #expect(help.status == 0)
      #expect(help.errors.isEmpty)
      #expect(help.output.contains("USAGE: attest-audit"))
    }
  }

  @Test func `an argument that is not UTF-8 is refused`() throws {
    let outcome = try run(
      "check", "--pipeline", shell: "exec \"$@\" \"$(printf 'a\\377b')\"")
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(
      outcome.errors == "attest-audit: error: 'a\u{FFFD}b' is not UTF-8\n"
        + "hint: a link with another name leads to the file as well\n")
  }

  @Test func `a reader that went away is no error`() throws {
    let outcome = try run("audit", "--help", shell: "\"$@\" | true; exit 0")
    #expect(outcome.errors.isEmpty)
    let status = try run(
      "audit", "--help", shell: "{ \"$@\"; echo $? > status; } | true; sleep 0.1; cat status")
    #expect(status.output == "0\n")
    #expect(status.errors.isEmpty)
  }

  @Test(arguments: [
    ["--version"], ["explain", "replay.assertion"], ["state", "keys", "state"],
    ["state", "export", "state"],
  ])
  func `standard output on a full disk is told`(arguments: [String]) throws {
    try FileManager.default.copyItem(
      atPath: Repository.root + "/testdata/state-v1", toPath: scratch.path + "/state")
    let outcome = try Program.run(
      arguments, in: scratch.path, shell: "exec \"$@\" > /dev/full")
    #expect(outcome.status == 73)
    #expect(
      outcome.errors.hasSuffix(
        "attest-audit: error: cannot write to standard output: no space left on device\n"))
  }

  @Test func `an existing report is an error before any work`() throws {
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/report", withIntermediateDirectories: false)
    try scratch.write("report/thesis.txt", "precious")
    #expect(
      try run("audit", "x", "--app-id", "A.b", "--out", "report")
        == Program.Outcome(
          status: 73, output: "",
          errors: "attest-audit: error: report exists already\n"
            + "hint: --overwrite replaces an earlier report\n"))
    #expect(
      try run("audit", "x", "--app-id", "A.b", "--out", "report", "--overwrite")
        == Program.Outcome(
          status: 73, output: "",
          errors: "attest-audit: error: report is not a report of attest-audit\n"
            + "hint: name a folder that does not exist\n"))
    #expect(try scratch.names == ["report"])
  }

  @Test func `check says what a pipeline file would do`() throws {
    try scratch.write(
      "p.yaml",
      """
      inputs: [logs/${date}/, -]
      apps:
      - {id: A.b, categories: [appStore, os], bundleVersions: ["2", "1"]}
      - {id: C.d, environments: [development, production]}
      severity: {counter.gap: low}
      detect: {counterGap: 3, challengeTTL: 90s}
      limits: {memory: 1GiB, jobs: 2, tempDir: spill}
      report: {out: r, failOn: never}
      """)
    let outcome = try run("check", "p.yaml", "--no-inputs", "--date", "2026-03-01")
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
    #expect(
      outcome.output == """
        inputs                    logs/2026-03-01/
                                  -
        follow                    false
        schema                    default
        apps                      A.b, production, categories os appStore, bundle versions 1 2
                                  C.d, production and development
        trust.anchors             Apple App Attestation Root CA
        trust.receiptAnchors      Apple Root CA - G3
        trust.receipts            verify
        keys                      none known before
        detect.reorderTolerance   30s
        detect.retryTolerance     off
        detect.rejectedRetry      10m
        detect.replayScope        global
        detect.counterGap         3
        detect.challenges         optional
        detect.challengeTTL       90s
        detect.attestationMaxAge  1d
        severity                  counter.gap is low
        limits.memory             1GiB
        limits.jobs               2
        limits.lineBytes          4MiB
        limits.zstdWindowBytes    128MiB
        limits.rejectRate         10%
        limits.tempDir            spill
        report.out                r
        report.overwrite          false
        report.mode               0600
        report.verdicts           false
        report.html               true
        report.formats            none
        report.index              false
        report.failOn             never
        report.metrics            none
        state.dir                 none: each run stands alone

        """)
    #expect(try scratch.names == ["p.yaml"])
  }

  @Test func `check looks into keys and anchors, and finds what does not fit together`() throws {
    try scratch.write("p.yaml", "keys: k.csv\n")
    try scratch.write("k.csv", "keyId,publicKey,appId\nAAAA,,\n")
    #expect(
      try run("check", "p.yaml")
        == Program.Outcome(
          status: 65, output: "",
          errors: "attest-audit: error: k.csv:2: keyId: 'AAAA' is not 32 bytes in base64, base64url"
            + " or hex\n"))
    try scratch.write("p.yaml", "limits: {memory: 64MiB, lineBytes: 1GiB}\n")
    let outcome = try run("check", "p.yaml")
    #expect(outcome.status == 65)
    #expect(
      outcome.errors.hasPrefix(
        "attest-audit: error: p.yaml: lines of 1GiB do not fit into a memory of 64MiB\nhint: "))
  }

  @Test(arguments: ["nightly", "incident", "adhoc"])
  func `the pipelines that come with the program pass`(_ name: String) throws {
    try scratch.write("keys.csv", "keyId,publicKey,appId\n")
    let outcome = try run(
      "check", "--no-inputs", "\(Repository.root)/pipelines/\(name).yaml",
      environment: [
        "APP_ID": "A.b", "LOGS": "/logs", "REPORTS": scratch.path, "CASE": scratch.path,
        "KEYS": scratch.path + "/keys.csv", "STATE": scratch.path + "/state",
      ])
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("A.b, production"))
  }
}
