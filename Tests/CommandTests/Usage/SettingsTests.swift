import AppAttest
import ArgumentParser
import AuditEngine
import Foundation
import TestSupport
import Testing

@testable import AuditSettings
@testable import attest_audit

struct SettingsTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  private func settings(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> RunSettings {
    let command = try AuditCommand.parse(arguments)
    return try command.settings(now: 1_772_366_400_000, environment: environment)
  }

  private func failure(_ arguments: [String]) -> CommandError? {
    do {
      try SettingsResolver.requireComplete(try settings(arguments))
      return nil
    } catch {
      return error as? CommandError
    }
  }

  @Test func `defaults are those of the documents`() throws {
    let settings = try settings(["a", "-", "--app-id", "A.b"], environment: ["TMPDIR": ""])
    let configuration = settings.configuration
    #expect(configuration.inputs == ["a", "-"])
    #expect(configuration.standardInputName == "-")
    #expect(configuration.apps == [AppPolicy(id: "A.b", environments: [.production])])
    #expect(configuration.trustAnchors == [AppleTrust.appAttestationRootCA])
    #expect(configuration.receiptAnchors == [AppleTrust.rootCAG3])
    #expect(configuration.receipts == .verify)
    #expect(configuration.attestationMaxAge == 86_400_000)
    #expect(configuration.detection == DetectionPolicy())
    #expect(configuration.detection.reorderTolerance == 30_000)
    #expect(configuration.detection.challengeTTL == nil)
    #expect(configuration.severities.isEmpty)
    #expect(configuration.knownKeys.isEmpty)
    #expect(!configuration.verdicts)
    #expect(configuration.limits.jobs == Machine.cores)
    #expect((64 << 20...4 << 30).contains(configuration.limits.memory))
    #expect(configuration.limits.tempDirectory == "/var/tmp")
    #expect(configuration.limits.lineBytes == 4 << 20)
    #expect(configuration.limits.rejectRate == 0.1)
    #expect(settings.report == ReportSettings())
    #expect(settings.report.failOn == .level(.high))
    #expect(settings.state == nil && settings.report.metrics == nil && !settings.report.onlyNew)
    #expect(configuration.accepted.isEmpty && configuration.day == "2026-02-28")
  }

  @Test func `every flag arrives`() throws {
    let settings = try settings([
      "x", "--app-id", "A.b", "--app-id", "C.d", "--app-id", "A.b", "--environment", "any",
      "--receipts", "ignore", "--out", "o", "--overwrite", "--verdicts", "--fail-on", "never",
      "--reorder-tolerance", "1s", "--retry-tolerance", "2s", "--replay-scope", "key",
      "--counter-gap", "3", "--challenges", "required", "--challenge-ttl", "5m",
      "--attestation-max-age", "2d", "--jobs", "7", "--memory", "64MiB", "--temp-dir", "t",
      "--stdin-name", "pipe", "--quiet", "--log-level", "debug", "--state", "s",
      "--state-mode", "advance", "--state-window", "7d", "--pending-for", "0s", "--settle", "0s",
      "--wait-lock", "10m", "--only-new", "--metrics", "m.prom", "--date", "2026-11-20",
    ])
    let configuration = settings.configuration
    let both: Set<AttestEnvironment> = [.production, .development]
    #expect(
      configuration.apps == [
        AppPolicy(id: "A.b", environments: both), AppPolicy(id: "C.d", environments: both),
      ])
    #expect(configuration.receipts == .ignore)
    #expect(configuration.detection.reorderTolerance == 1000)
    #expect(configuration.detection.retryTolerance == 2000)
    #expect(configuration.detection.replayScope == .key)
    #expect(configuration.detection.counterGap == 3)
    #expect(configuration.detection.challengesRequired)
    #expect(configuration.detection.challengeTTL == 300_000)
    #expect(configuration.attestationMaxAge == 172_800_000)
    #expect(configuration.limits.jobs == 7)
    #expect(configuration.limits.memory == 64 << 20)
    #expect(configuration.limits.tempDirectory == "t")
    #expect(configuration.standardInputName == "pipe")
    #expect(configuration.verdicts)
    #expect(
      settings.report
        == ReportSettings(
          out: "o", overwrite: true, verdicts: true, failOn: .never, quiet: true,
          logLevel: .debug, metrics: "m.prom", onlyNew: true))
    #expect(
      settings.state
        == StateSettings(
          dir: "s", mode: .advance, window: 604_800_000, pendingFor: 0, settle: 0,
          waitLock: 600_000))
    #expect(configuration.day == "2026-11-20")
  }

  @Test func `a state has the defaults of the documents`() throws {
    let state = try settings(["x", "--state", "s"]).state
    #expect(
      state
        == StateSettings(
          dir: "s", mode: .advance, window: 2_592_000_000, pendingFor: 259_200_000,
          settle: 600_000, waitLock: 0))
  }

  @Test func `flags win over what the file says of the state`() throws {
    let file = try scratch.write(
      "p.yaml",
      """
      state: {dir: s, mode: advance, window: 7d, settle: 1m}
      report: {metrics: m}
      accept: [{fingerprint: 0123456789abcdef, severity: low, reason: r, expires: 2026-01-01}]
      """)
    let plain = try settings(["--pipeline", file, "--settle", "5s", "--only-new"])
    #expect(
      plain.state
        == StateSettings(
          dir: scratch.path + "/s", mode: .advance, window: 604_800_000, settle: 5000))
    #expect(plain.report.metrics == scratch.path + "/m")
    // An entry that has expired is told, not dropped.
    #expect(plain.configuration.accepted.map(\.reason) == ["r"])
    #expect(!plain.configuration.accepted.contains { $0.holds(on: plain.configuration.day) })
    // What the file says of advancing does not hinder looking.
    let other = try settings([
      "-", "--pipeline", file, "--state", "t", "--state-mode", "reference", "--metrics", "n",
    ])
    #expect(other.state?.dir == "t" && other.state?.mode == .reference)
    #expect(other.report.metrics == "n")
  }

  @Test func `an accepted finding holds up to its last day`() {
    let accepted = AcceptedFinding(
      .fingerprint(1), severity: .critical, reason: "r", expires: "2026-12-31")
    #expect(accepted.holds(on: "2026-12-30") && accepted.holds(on: "2026-12-31"))
    #expect(!accepted.holds(on: "2027-01-01"))
  }

  @Test func `a state is never where reports are replaced`() throws {
    for (out, dir, isRefused) in [
      ("r", "r", true), ("r", "r/state", true), ("r/", "./r/state/", true),
      ("r", "x/../r/s", true), ("r", "rs", false), ("r/2026", "r/state", false),
      ("r/a", "r", false),
    ] {
      let failure = failure(["x", "--app-id", "A.b", "--out", out, "--state", dir])
      #expect((failure != nil) == isRefused, "\(out) \(dir)")
      guard isRefused else { continue }
      #expect(
        failure
          == CommandError(
            .usage, "the state \(dir) lies in the report folder \(out), which is replaced whole",
            hint: "name a folder for the state that outlives the reports"))
    }
  }

  @Test func `flags win over the file, and what they leave out stays`() throws {
    let file = try scratch.write(
      "p.yaml",
      """
      inputs: [logs/${date}]
      apps:
      - {id: F.ile, environments: [development], categories: [appStore]}
      detect: {reorderTolerance: 9s, counterGap: 5}
      limits: {jobs: 3, memory: 128MiB}
      report: {out: r, failOn: low, verdicts: true}
      """)
    let plain = try settings(["--pipeline", file])
    #expect(plain.configuration.inputs == [scratch.path + "/logs/2026-02-28"])
    #expect(plain.report.out == scratch.path + "/r")

    let flagged = try settings([
      "--pipeline", file, "mine", "--reorder-tolerance", "1s", "--jobs", "0", "--out", "o",
      "--fail-on", "critical", "--date", "2026-01-01",
    ])
    #expect(flagged.configuration.inputs == ["mine"])
    #expect(flagged.configuration.detection.reorderTolerance == 1000)
    #expect(flagged.configuration.detection.counterGap == 5)
    #expect(flagged.configuration.limits.jobs == Machine.cores)
    #expect(flagged.configuration.limits.memory == 128 << 20)
    #expect(flagged.report.out == "o")
    #expect(flagged.report.failOn == .level(.critical))
    #expect(flagged.report.verdicts)
    #expect(flagged.configuration.apps == plain.configuration.apps)
  }

  @Test func `the day of the flag is filled in`() throws {
    let file = try scratch.write("p.yaml", "inputs: [/logs/${date}]")
    let settings = try settings(["--pipeline", file, "--date", "2024-02-29"])
    #expect(settings.configuration.inputs == ["/logs/2024-02-29"])
  }

  @Test func `apps of the flags replace those of the file whole`() throws {
    let file = try scratch.write(
      "p.yaml", "apps: [{id: F.ile, environments: [development], categories: [appStore]}]")
    let replaced = try settings(["--pipeline", file, "--app-id", "A.b"])
    #expect(replaced.configuration.apps == [AppPolicy(id: "A.b")])
    let widened = try settings(["--pipeline", file, "--environment", "any"])
    #expect(
      widened.configuration.apps == [
        AppPolicy(
          id: "F.ile", environments: [.production, .development],
          categories: [.init(rawValue: 4)])
      ])
  }

  @Test func `a list of inputs adds to those that are named`() throws {
    let list = try scratch.write("list", "one\r\n\n  \ntwo words\nthree")
    let settings = try settings(["zero", "--files-from", list, "--app-id", "A.b"])
    #expect(settings.configuration.inputs == ["zero", "one", "two words", "three"])
    let more = try scratch.write("more", "four\n")
    let both = try self.settings(["--files-from", list, "--files-from=\(more)", "--app-id", "A.b"])
    #expect(both.configuration.inputs == ["one", "two words", "three", "four"])
  }

  @Test func `anchors replace those of apple`() throws {
    let pem =
      "-----BEGIN CERTIFICATE-----\n"
      + Data(AppleTrust.rootCAG3).base64EncodedString(options: .lineLength64Characters)
      + "\n-----END CERTIFICATE-----\n"
    let path = try scratch.write("a.pem", "A comment\n" + pem + pem)
    let settings = try settings(["x", "--app-id", "A.b", "--trust-anchor", path])
    #expect(settings.configuration.trustAnchors.allSatisfy { $0 == AppleTrust.rootCAG3 })
    #expect(settings.configuration.receiptAnchors == [AppleTrust.rootCAG3])
  }

  @Test(arguments: [
    "", "text", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
  ])
  func `a file without a certificate is no anchor`(_ text: String) throws {
    let path = try scratch.write("a.pem", text)
    let failure = failure(["x", "--app-id", "A.b", "--receipt-anchor", path])
    #expect(failure?.status == .invalidFile)
    #expect(failure?.message.hasPrefix("--receipt-anchor: \(path): ") == true)
    #expect(failure?.hint == "a trust anchor file holds certificates in PEM")
  }

  @Test func `an anchor file that is not there is told with who named it`() throws {
    let file = try scratch.write("p.yaml", "version: 1\ntrust: {anchors: [no.pem]}")
    #expect(
      failure(["x", "--app-id", "A.b", "--pipeline", file])
        == CommandError(
          .invalidFile,
          "\(file):2: cannot read \(scratch.path)/no.pem: no such file or directory"))
  }

  static let mistakes: [(arguments: [String], message: String, hint: String?)] = [
    (
      [], "no input is given",
      "name files, folders or globs, - for standard input, or a --pipeline with inputs"
    ),
    (["x"], "no app is given", "--app-id PREFIX.BUNDLE, or a --pipeline with apps"),
    (
      ["x", "--app-id", "A.b", "--verdicts"], "verdicts are asked for, but no report folder",
      "--out DIR, or report.out in the pipeline file"
    ),
    ([""], "an input's name is empty", nil),
    (["x", "--state", ""], "--state: '' is not a path", nil),
    (["x", "--metrics", ""], "--metrics: '' is not a path", nil),
    (
      ["x", "--state", "s", "--state-mode", "forward"],
      "--state-mode: 'forward' is not one of advance, reference", nil
    ),
    (
      ["x", "--state", "s", "--state-window", "0s"],
      "--state-window: '0s' is not a duration above 0s and up to 3650d, such as 30s, 5m, 12h or 1d",
      nil
    ),
    (
      ["x", "--state-mode", "reference"], "--state-mode is given, but no state",
      "--state DIR, or state.dir in the pipeline file"
    ),
    (
      ["x", "--settle", "1m"], "--settle is given, but no state",
      "--state DIR, or state.dir in the pipeline file"
    ),
    (
      ["x", "--wait-lock", "0s"], "--wait-lock is given, but no state",
      "--state DIR, or state.dir in the pipeline file"
    ),
    (
      ["x", "--only-new"], "--only-new is given, but no state",
      "--state DIR, or state.dir in the pipeline file"
    ),
    (
      ["x", "--state", "s", "--state-mode", "reference", "--wait-lock", "1m"],
      "--wait-lock: a run in state mode reference writes nothing and waits for nothing",
      "leave it out, or say --state-mode advance"
    ),
    (
      ["x", "--state", "s", "--state-mode", "reference", "--settle", "1m"],
      "--settle: a run in state mode reference writes nothing and waits for nothing",
      "leave it out, or say --state-mode advance"
    ),
    (
      ["x", "-", "--state", "s"],
      "standard input cannot be accounted for: the state would not know it again",
      "name files, or say --state-mode reference"
    ),
    (
      ["x", "--app-id", "bank"],
      "--app-id: 'bank' is not an App ID: a prefix, a point, and a bundle identifier", nil
    ),
    (
      ["x", "--environment", "both"],
      "--environment: 'both' is not one of production, development, any", nil
    ),
    (["x", "--receipts", "no"], "--receipts: 'no' is not one of verify, parse, ignore", nil),
    (["x", "--replay-scope", "no"], "--replay-scope: 'no' is not one of global, key, exact", nil),
    (["x", "--challenges", "no"], "--challenges: 'no' is not one of optional, required", nil),
    (
      ["x", "--fail-on", "no"],
      "--fail-on: 'no' is not one of info, low, medium, high, critical, never", nil
    ),
    (
      ["x", "--log-level", "loud"],
      "--log-level: 'loud' is not one of trace, debug, info, notice, warning, error, critical", nil
    ),
    (
      ["x", "--retry-tolerance", "5"],
      "--retry-tolerance: '5' is not a duration from 0s to 3650d, such as 500ms, 30s, 5m, 12h or 1d",
      nil
    ),
    (
      ["x", "--challenge-ttl", "0s"],
      "--challenge-ttl: '0s' is not a duration above 0s and up to 3650d, such as 30s, 5m, 12h or 1d",
      nil
    ),
    (["x", "--date", "today"], "--date: 'today' is not a day such as 2026-03-01", nil),
    (["x", "--jobs", "many"], "--jobs: 'many' is not a number from 0 to 1024", nil),
    (
      ["x", "--memory", "1GB"], "--memory: '1GB' is not a size from 64MiB, such as 64MiB or 1GiB",
      nil
    ),
    (["x", "--counter-gap", "-"], "--counter-gap: '-' is not a number from 0 to 4294967295", nil),
    (["x", "--out", ""], "--out: '' is not a path", nil),
    (
      ["x", "--files-from", "/nope"],
      "--files-from: cannot read /nope: no such file or directory", nil
    ),
    (
      ["-", "--files-from", "-"],
      "--files-from: standard input cannot be both the list and an input", nil
    ),
  ]

  @Test(arguments: mistakes.indices)
  func `bad usage is told in one line`(_ index: Int) {
    let mistake = Self.mistakes[index]
    #expect(
      failure(mistake.arguments) == CommandError(.usage, mistake.message, hint: mistake.hint))
  }

  @Test func `lines have to fit into the memory`() throws {
    let file = try scratch.write("p.yaml", "limits: {memory: 64MiB, lineBytes: 16MiB}")
    #expect(
      failure(["x", "--app-id", "A.b", "--pipeline", file])
        == CommandError(
          .invalidFile, "\(file): lines of 16MiB do not fit into a memory of 64MiB",
          hint: "the memory has to be 8 times limits.lineBytes or more"))
    let line = try scratch.write("line.yaml", "limits: {lineBytes: 16MiB}")
    #expect(
      failure(["x", "--app-id", "A.b", "--pipeline", line, "--memory", "64MiB"])
        == CommandError(
          .usage, "lines of 16MiB do not fit into a memory of 64MiB",
          hint: "the memory has to be 8 times limits.lineBytes or more"))
  }

  @Test func `a mode of a state without one is the fault of the file that has it`() throws {
    let file = try scratch.write("p.yaml", "state: {mode: reference}")
    let arguments = ["x", "--app-id", "A.b", "--pipeline", file]
    let hint = "--state DIR, or state.dir in the pipeline file"
    #expect(
      failure(arguments)
        == CommandError(
          .invalidFile, "\(file): state.mode is given, but no state", hint: hint))
    try scratch.write("p.yaml", "limits: {jobs: 1}")
    #expect(failure(arguments + ["--state-mode", "reference"])?.status == .usage)
  }
}
