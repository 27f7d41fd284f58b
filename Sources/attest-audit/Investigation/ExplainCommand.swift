import ArgumentParser
import AuditEngine
import AuditLog
import AuditReport
import AuditSettings
import Foundation
import Investigation

/// `attest-audit explain`: explains the codes of findings from the catalogue, and a single finding
/// of a report from its line.
struct ExplainCommand: ParsableCommand, StatusCommand {
  /// The form of the output.
  enum Form: String, ExpressibleByArgument, CaseIterable {
    case text
    /// The page `Findings.md` of the documentation.
    case markdown
  }

  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain a finding code, or judge one finding again from its line.",
    discussion: """
      CODE is a code of a report, for example replay.assertion, or a family, for example replay. \
      Without a code, explain lists all codes. The code blind-spots names everything that a log \
      cannot show, or with --report what the logs of that report cannot, and what to do about it.

      With --report, FINGERPRINT names a finding of that report: 8 digits or more, or its FILE:LINE. \
      explain reads its line and the related line, compares the input with the report's SHA-256, \
      and judges the records again. Its last sentence is the result. Exit status: 0 the same was \
      found again, 1 it was not.

      Example:
        attest-audit explain 1f2e3d4c5b6a7988 --report report
      """)

  @Argument(
    help: ArgumentHelp(
      "Explain this code or family of codes; with --report these fingerprints or FILE:LINE.",
      valueName: "code|fingerprint"),
    completion: .list(CodeNames.all + [CodeExplanation.blindSpots]))
  var codes: [String] = []

  @OptionGroup var source: ReportSource

  @Option(help: ArgumentHelp("Print in colours: auto, always or never.", valueName: "when"))
  var color: String = "auto"

  @Option(help: ArgumentHelp("Print as text or markdown.", visibility: .hidden))
  var format = Form.text

  func run() throws {
    throw ExitCode(try status().rawValue)
  }

  func status() throws -> ExitStatus {
    if codes == [CodeExplanation.blindSpots], format == .text {
      let spots =
        source.report == nil ? BlindSpot.possible : try source.explainer().report.summary.blindSpots
      Console.print(CodeExplanation.text(of: spots))
      return .clean
    }
    guard source.report != nil else {
      try explainCodes()
      return .clean
    }
    guard !codes.isEmpty, codes.allSatisfy(Self.isCode) else { return try explainFindings() }
    try explainCodes(causes: source.explainer().report.summary.likelyCauses)
    return .clean
  }

  private func explainFindings() throws -> ExitStatus {
    guard !codes.isEmpty, format == .text else { throw Self.noFinding }
    let explainer = try source.explainer()
    let hasColors = try ColorFlag.isOn(color)
    var status = ExitStatus.clean
    for (index, finding) in try Self.findings(codes, explainer).enumerated() {
      let explanation = try explainer.explain(finding)
      var page = TextPage(hasColors: hasColors)
      if index > 0 { page.line() }
      ExplanationText(explanation: explanation, report: explainer.report).write(to: &page)
      Console.print(page.text, hasColors: hasColors)
      if !explanation.isConfirmed { status = .findings }
    }
    return status
  }

  static let noFinding = CommandError(
    .usage, "no finding is named", hint: "see the column fingerprint of findings.csv")

  /// Returns the findings that the texts name, each once.
  static func findings(
    _ names: [String], _ explainer: Explainer
  ) throws(CommandError) -> [StoredReport.FoundFinding] {
    var found: [StoredReport.FoundFinding] = []
    for name in names {
      for one in try explainer.report.findings(named: name)
      where !found.contains(where: {
        $0.finding.finding.fingerprint == one.finding.finding.fingerprint
      }) {
        found.append(one)
      }
    }
    return found
  }

  /// Explains codes from the catalogue. `causes` are the likely causes of a report.
  private func explainCodes(causes: [LikelyCause] = []) throws {
    if format == .markdown {
      guard codes.isEmpty else {
        throw CommandError(
          .usage, "--format markdown is about all codes", hint: "leave out the code")
      }
      return Console.print(rows: FindingsPage.markdown)
    }
    guard !codes.isEmpty else { return Console.print(CodeExplanation.list) }
    if let code = codes.first(where: { StoredReport.fingerprint($0) != nil }) {
      throw CommandError(
        .usage, "'\(code)' is a fingerprint, and no report is given",
        hint: "use " + ShellText.command("\(Tool.name) explain \(code) --report DIR"))
    }
    let entries = try codes.flatMap(Self.entries)
    Console.print(
      entries.map { CodeExplanation(entry: $0, causes: causes).text }.joined(separator: "\n"))
  }

  private static func isCode(_ name: String) -> Bool {
    FindingCatalogue.entries.contains { $0.name == name || $0.family == name }
  }

  private static func entries(of name: String) throws(CommandError) -> [FindingEntry] {
    let entries = FindingCatalogue.entries.filter { $0.name == name || $0.family == name }
    guard entries.isEmpty else { return entries }
    let nearest = NearestName.of(name, among: FindingCatalogue.entries.map(\.name))
    throw CommandError(
      .usage, "'\(name)' is not a finding code",
      hint: nearest.map { "did you mean '\($0)'?" } ?? "use \(Tool.name) explain to list the codes")
  }
}
