import ArgumentParser
import AuditEngine
import AuditLog
import AuditReport
import AuditSettings
import Basics
import Investigation

struct ExplainCommand: StatusCommand {
  static let configuration = CommandConfiguration.named(
    "explain", "Explain a finding code, or judge one finding again from its line.",
    """
    CODE is a code of a report, for example replay.assertion, or a family, for example replay. \
    Without a code, explain lists all codes. The code blind-spots names everything that a log \
    cannot show, or with --report what the logs of that report cannot, and what to do about it.

    With --report, FINGERPRINT names a finding of that report: 8 digits or more, or its FILE:LINE. \
    explain reads its line and the related line, compares the input with the report's SHA-256, \
    and judges the records again. Its last sentence is the result. A line of the inputs without a \
    finding is shown check by check. Exit status: 0 the same was found again, or there is no \
    finding, 1 it was not.

    Example:
      attest-audit explain 1f2e3d4c5b6a7988 --report report
    """)

  @Argument(
    help: .of(
      "code|fingerprint",
      "Explain this code or family of codes; with --report these fingerprints or FILE:LINE."),
    completion: .list(CodeNames.all + [CodeExplanation.blindSpots]))
  var codes: [String] = []

  @OptionGroup var source: ReportSource

  @Option(help: .of("when", "Print in colours: auto, always or never."))
  var color: String = "auto"

  func status() throws -> ExitStatus {
    let isSpot = { [codes] (spot: BlindSpot) in codes.contains(spot.spot.rawValue) }
    let isAboutAll = codes == [CodeExplanation.blindSpots]
    if isAboutAll || BlindSpot.possible.contains(where: isSpot) {
      let spots =
        source.report == nil ? BlindSpot.possible : try source.explainer().report.summary.blindSpots
      Console.print(CodeExplanation.text(of: isAboutAll ? spots : spots.filter(isSpot)))
      return .clean
    }
    guard source.report != nil else {
      try explainCodes()
      return .clean
    }
    guard !codes.isEmpty, !codes.contains(where: { FindingCode.named($0).isEmpty }) else {
      return try explainFindings()
    }
    try explainCodes(causes: source.explainer().report.summary.likelyCauses)
    return .clean
  }

  private func explainFindings() throws -> ExitStatus {
    guard !codes.isEmpty else { throw Self.noFinding }
    let explainer = try source.explainer()
    let hasColors = try ColorFlag.isOn(color)
    if codes.count == 1, let place = try explainer.report.placeWithoutFinding(named: codes[0]) {
      return try explainLine(place, explainer, hasColors: hasColors)
    }
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

  /// Explains a line of the report's inputs about which it has no finding: the line, check by check.
  private func explainLine(
    _ place: String, _ explainer: Explainer, hasColors: Bool
  ) throws -> ExitStatus {
    guard
      case .line(let line) = try InspectSource(
        place, explainer.settings, places: explainer.places, followsLinks: source.follow)
    else { return .clean }
    var inspector = try Inspector(explainer.settings)
    KeySearch(source.logs, explainer.places, stateKey: explainer.stateKey).complete(
      &inspector, line: line.state == .whole ? line.bytes : [], of: line.source)
    var page = TextPage(hasColors: hasColors)
    InspectionText.write(inspector.inspect(line: line), to: &page)
    page.line()
    page.paragraph(
      "The report \(explainer.report.path) has no finding at \(place).", at: 0, .strong)
    Console.print(page.text, hasColors: hasColors)
    return .clean
  }

  static let noFinding = CommandError(
    .usage, "no finding is named", hint: "see the column fingerprint of findings.csv")

  static func findings(
    _ names: [String], _ explainer: Explainer
  ) throws -> [StoredReport.FoundFinding] {
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

  private func explainCodes(causes: [LikelyCause] = []) throws {
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

  private static func entries(of name: String) throws(CommandError) -> [FindingEntry] {
    let codes = FindingCode.named(name)
    guard codes.isEmpty else { return codes.map(\.entry) }
    throw CommandError(
      .usage, "'\(name)' is not a finding code",
      hint: NearestName.hint(name, among: FindingCatalogue.entries.map(\.name))
        ?? "use \(Tool.name) explain to list the codes")
  }
}

struct CodeExplanation {
  private static let indent = 14

  let entry: FindingEntry
  /// The likely causes of a report, those of other codes too.
  var causes: [LikelyCause] = []

  var text: String {
    var lines = ["\(entry.name): \(entry.title)"]
    lines += ([("severity", entry.severities)] + entry.parts).map(Self.row)
    for cause in causes where cause.codes.contains(where: { $0.name == entry.name }) {
      lines.append(Self.row("cause", cause.sentence))
    }
    lines.append(Self.row("page", entry.address))
    return lines.joined(separator: "\n") + "\n"
  }

  static var list: String {
    FindingCatalogue.entries.map { entry in
      entry.name.padded(to: 35, least: 1) + entry.severity.name.padded(to: 9, least: 1)
        + entry.title + "\n"
    }.joined()
  }

  static let blindSpots = "blind-spots"

  static func text(of spots: [BlindSpot]) -> String {
    guard !spots.isEmpty else { return "no blind spots\n" }
    let introduction = TextWrap.lines(
      "A blind spot is something that the log cannot show. Each has an attack that leaves the log as it "
        + "is, the findings that therefore cannot appear, and what to log or configure.",
      hang: 0)
    let entries = spots.map { spot in
      var lines = [spot.spot.rawValue]
      for (heading, text) in [
        ("evidence", spot.evidence), ("hides", spot.hides),
        ("findings", hidden(spot.codes)), ("what to do", spot.action),
      ] where !text.isEmpty {
        lines.append(row(heading, text))
      }
      return lines.joined(separator: "\n") + "\n"
    }
    return introduction.joined(separator: "\n") + "\n\n" + entries.joined(separator: "\n")
  }

  private static func hidden(_ codes: [FindingCode]) -> String {
    codes.isEmpty ? "" : codes.map(\.name).joined(separator: ", ") + " cannot appear."
  }

  private static func row(_ heading: String, _ text: String) -> String {
    ("  " + heading).padded(to: indent, least: 2) + text
  }
}
