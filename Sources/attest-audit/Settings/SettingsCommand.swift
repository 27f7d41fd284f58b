import ArgumentParser
import AuditSettings

/// `attest-audit settings`: prints the table of settings as the page of the documentation.
struct SettingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Print the table of settings as a page in Markdown.",
    shouldDisplay: false)

  func run() { Console.print(rows: SettingsTableText.markdown) }
}
