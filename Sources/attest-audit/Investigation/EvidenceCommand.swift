import AppAttest
import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import AuditState
import Basics
import Foundation
import Investigation

struct EvidenceCommand: StatusCommand {
  static let configuration = CommandConfiguration.named(
    "evidence", "Collect the proof of findings, for people who do not use this program.",
    """
    evidence writes to --out, for each finding: its line and the related line byte for byte, their \
    positions, the parts of their tokens, every check, and a README with commands of sha256sum \
    and openssl that verify all of it. Inputs are found by their content, also if they were \
    renamed or compressed. Exit status: 0 complete, 2 a line was not found or is not what the \
    report says, or the attestation of the key is in a log of an earlier run; a warning names it.

    Example:
      attest-audit evidence 1f2e3d4c5b6a7988 --report report --out case-17
    """)

  @Argument(
    help: .of(
      "fingerprint",
      "Collect the proof of these findings: 8 digits or more of each fingerprint, or FILE:LINE."))
  var fingerprints: [String] = []

  @OptionGroup var source: ReportSource

  @Option(help: "Write this folder. It must not exist.", completion: .directory)
  var out: String?

  func status() throws -> ExitStatus {
    guard !fingerprints.isEmpty else { throw ExplainCommand.noFinding }
    let out = try out.orThrow("no folder is given", hint: "use --out DIR")
    try StandardOutput.requireFolder(out)
    let explainer = try source.explainer()
    let findings = try ExplainCommand.findings(fingerprints, explainer)
    var folder = try EvidenceFolder(path: out, explainer)
    var isWhole = explainer.complaints.isEmpty
    do {
      for finding in findings {
        isWhole = try add(explainer.explain(finding), to: &folder, explainer) && isWhole
      }
      try folder.finish()
    } catch {
      folder.abandon()
      throw error
    }
    Console.print(
      "evidence of \(SummaryNumber.counted(findings.count, "finding")) in \(OneLine.escape(out)); "
        + "README.md shows how to verify it\n")
    guard folder.gaps > 0 else { return isWhole ? .clean : .partial }
    Console.note(
      "warning: \(folder.gaps == 1 ? "a line" : "\(folder.gaps) lines") of the evidence "
        + "could not be found: README.md names each")
    return .partial
  }

  /// Writes the evidence of a finding. Returns whether the report's inputs have all of it.
  private func add(
    _ explanation: Explanation, to folder: inout EvidenceFolder, _ explainer: Explainer
  ) throws -> Bool {
    var page = TextPage(hasColors: false)
    ExplanationText(explanation: explanation, report: explainer.report).write(to: &page)
    let attestation = try explainer.attestation(of: explanation)
    try folder.add(explanation, attestation: attestation, text: page.text) { inspection in
      var page = TextPage(hasColors: false)
      InspectionText.write(inspection, to: &page)
      return page.text
    }
    for remark in explanation.remarks { Console.note("notice: \(remark)") }
    guard explanation.outcome?.differing.isEmpty ?? true else { return false }
    guard attestation == nil, let key = explanation.finding.finding.keyID,
      let row = (try? explainer.report.keys(hex: key.hex))?.first, row.status == .known
    else { return true }
    Console.note(
      "warning: the attestation of key \(key.hex.prefix(16)) is in a log of an earlier run: it is not "
        + "part of the evidence")
    return false
  }
}

/// The report that an investigation begins with, and the present places of its inputs.
struct ReportSource: ParsableArguments {
  @Option(help: "Read this report folder.", completion: .directory)
  var report: String?

  @Option(
    help: .of("dir", "Look for inputs that were moved in this folder; repeatable."),
    completion: .directory)
  var logs: [String] = []

  @Option(help: "Read the list of known keys from here, if it was moved.", completion: .file())
  var keys: String?

  @Flag(help: "Follow symbolic links at the paths of inputs.")
  var follow = false

  func explainer() throws -> Explainer {
    let report = try report.orThrow("no report is given", hint: "use --report DIR")
    var explainer = try Explainer(
      StoredReport(path: report), logs: logs, keys: keys, followsLinks: follow,
      environment: ProcessInfo.processInfo.environment)
    explainer.stateKey = Self.stateKey(explainer.state)
    return explainer
  }

  /// Returns the keys that a state has, those that earlier nights attested, if it can be read.
  static func stateKey(_ path: String?) -> @Sendable (Digest256) -> KnownKey? {
    guard let path,
      let directory = try? StateDirectory.open(path: path, mode: .reference, now: Clock.now)
    else { return { _ in nil } }
    return { key in
      guard let known = (try? directory.key(key)) ?? nil, !known.publicKey.isEmpty else {
        return nil
      }
      return KnownKey(
        keyID: key, publicKey: known.publicKey, appID: known.appID,
        environment: known.environment, attestedAt: known.attestedAt)
    }
  }
}
