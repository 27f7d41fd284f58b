import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings

/// `attest-audit explain`: what the codes of findings mean, from the catalogue.
struct ExplainCommand: ParsableCommand {
  /// The form of what is printed.
  enum Form: String, ExpressibleByArgument, CaseIterable {
    case text
    /// The page `Findings.md` of the documentation.
    case markdown
  }

  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explains a finding code: its meaning, its abuse, and what to do about it.",
    discussion: """
      CODE is a code of a report, such as replay.assertion, or a family, such as replay. Without \
      one, all codes are listed with a few words for each.
      """)

  @Argument(help: ArgumentHelp("A code or a family of codes.", valueName: "code"))
  var codes: [String] = []

  @Option(help: ArgumentHelp("text or markdown.", visibility: .hidden))
  var format = Form.text

  func run() throws {
    if format == .markdown {
      guard codes.isEmpty else {
        throw CommandError(.usage, "--format markdown is about all codes", hint: "name no code")
      }
      return Console.print(FindingsPage.markdown)
    }
    guard !codes.isEmpty else { return Console.print(CodeExplanation.list) }
    let entries = try codes.flatMap(Self.entries)
    Console.print(entries.map { CodeExplanation(entry: $0).text }.joined(separator: "\n"))
  }

  private static func entries(of name: String) throws(CommandError) -> [FindingEntry] {
    let entries = FindingCatalogue.entries.filter { $0.name == name || $0.family == name }
    guard entries.isEmpty else { return entries }
    let nearest = NearestName.of(name, among: FindingCatalogue.entries.map(\.name))
    throw CommandError(
      .usage, "'\(name)' is no finding code",
      hint: nearest.map { "did you mean '\($0)'?" } ?? "\(Tool.name) explain lists the codes")
  }
}
