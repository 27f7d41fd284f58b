import ArgumentParser
import AuditReport
import AuditSettings
import AuditState

/// `attest-audit state prune`: removes old data, and packs the database.
struct StatePruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove data that are older than the windows, and free their disk space.",
    discussion: """
      Hashes and closed findings that are older than --window are removed, and waiting assertions \
      that are older than --pending-for. Every run with --state-mode advance removes hashes and \
      waiting assertions automatically. Exit status 75: another run has locked the state.
      """)

  @OptionGroup var argument: StateArgument

  @Option(
    help: ArgumentHelp(
      "Keep hashes for this long. (default: as in the last run)", valueName: "duration"))
  var window: String?

  @Option(
    help: ArgumentHelp(
      "Keep waiting assertions for this long. (default: as in the last run)", valueName: "duration")
  )
  var pendingFor: String?

  @Flag(help: "Change nothing, and print what would be removed.")
  var dryRun = false

  @OptionGroup var lock: StateLockOption

  func run() throws {
    let window = try StateLockOption.duration("--window", window)
    let pendingFor = try StateLockOption.duration("--pending-for", pendingFor)
    let state = try dryRun ? argument.openToRead() : lock.open(argument)
    let recorded = try argument.told { () throws(StateError) in try state.windows() }
    guard let window = window ?? recorded?.window,
      let pendingFor = pendingFor ?? recorded?.pendingFor
    else {
      throw CommandError(
        .usage, "no run has recorded how long the state is kept",
        hint: "set it with --window DURATION and --pending-for DURATION")
    }
    let pruned = try argument.told { () throws(StateError) in
      try state.prune(
        StateLockOption.facts("prune", window: window, pendingFor: pendingFor), isTrial: dryRun)
    }
    Console.print(
      "\(pruned.segments) segments and \(SummaryNumber.grouped(UInt64(pruned.findings))) closed "
        + "findings \(dryRun ? "would be " : "")forgotten, "
        + "\(ProgressText.size(Int(clamping: max(0, pruned.bytes)))) given back\n")
  }
}
