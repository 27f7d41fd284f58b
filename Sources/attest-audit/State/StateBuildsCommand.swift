import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import AuditState

/// `attest-audit state builds`: lists the builds of the apps.
struct StateBuildsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "builds",
    abstract: "Print the builds of the apps that runs have seen: CSV, one row for each build.",
    discussion: """
      A build is App ID, platform, validation category, bundle version and code hash, as Apple's system \
      signed them. first_night is the day of the first run that saw the build, and nights is the \
      number of runs that saw it.
      """)

  @OptionGroup var argument: StateArgument

  func run() throws {
    let state = try argument.openToRead()
    var text = TextRow.csv(BuildColumns.keptNames, guarded: false)
    for (build, sighting) in try argument.told({ () throws(StateError) in try state.builds() }) {
      text += TextRow.csv(
        BuildColumns.keptTexts(ReportedBuild(BuildRow(build), sighting)), guarded: true)
    }
    Console.print(rows: text)
  }
}
