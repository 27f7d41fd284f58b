import ArgumentParser
import AuditReport
import AuditState

/// `attest-audit state prune`: removes old data, and packs the database.
struct StatePruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Forgets what is older than the windows, and gives its room back.",
    discussion: """
      Hashes and closed findings go after --window, waiting assertions after --pending-for. Every run \
      with --state-mode advance forgets hashes and waiting assertions by itself. Exit status 75: a \
      run holds the state.
      """)

  @OptionGroup var argument: StateArgument

  @Option(help: ArgumentHelp("How long hashes are remembered.", valueName: "duration"))
  var window = "30d"

  @Option(help: ArgumentHelp("How long assertions wait.", valueName: "duration"))
  var pendingFor = "3d"

  @OptionGroup var lock: StateLockOption

  func run() throws {
    guard let window = try StateLockOption.duration("--window", window),
      let pendingFor = try StateLockOption.duration("--pending-for", pendingFor)
    else { return }
    let state = try lock.open(argument)
    let pruned = try argument.told { () throws(StateError) in
      try state.prune(
        StateLockOption.facts("prune", window: window, pendingFor: pendingFor))
    }
    Console.print(
      "\(pruned.segments) segments and \(SummaryNumber.grouped(UInt64(pruned.findings))) closed "
        + "findings forgotten, \(ProgressText.size(Int(clamping: max(0, pruned.bytes)))) given back\n"
    )
  }
}
