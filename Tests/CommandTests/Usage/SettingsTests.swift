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

  @Test func `an accepted finding holds up to its last day`() {
    let accepted = AcceptedFinding(
      .fingerprint(1), severity: .critical, reason: "r", expires: "2026-12-31")
    #expect(accepted.holds(on: "2026-12-30") && accepted.holds(on: "2026-12-31"))
    #expect(!accepted.holds(on: "2027-01-01"))
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
