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
}
