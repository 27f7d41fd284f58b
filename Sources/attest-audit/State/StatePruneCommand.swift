import ArgumentParser
import AuditReport
import AuditSettings
import AuditState

/// `attest-audit state prune`: removes old data, and packs the database.
struct StatePruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Forgets what is older than the windows, and gives its room back.",
    discussion: """
      Hashes and closed findings go after --window, waiting assertions after --pending-for: as long as the last \
      run keeps them, unless a flag says otherwise. Every run with --state-mode advance forgets hashes and waiting \
      assertions automatically. Exit status 75: a run holds the state.
      """)

  @OptionGroup var argument: StateArgument

  @Option(
    help: ArgumentHelp(
      "How long hashes are remembered. (default: as in the last run)", valueName: "duration"))
  var window: String?

  @Option(
    help: ArgumentHelp(
      "How long assertions wait. (default: as in the last run)", valueName: "duration"))
  var pendingFor: String?

  @Flag(help: "Change nothing, and print what would be forgotten.")
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
        hint: "--window DURATION and --pending-for DURATION set it")
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
