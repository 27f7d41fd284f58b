import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import AuditState
import Basics
import Files

struct StateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "state",
    abstract: "Read, check and maintain the state that runs keep.",
    discussion: """
      verify, info, findings, keys, builds and export only read the state, also during a run. import, \
      prune and rollback change it, and lock it for that time.
      """,
    subcommands: [
      StateVerifyCommand.self, StateInfoCommand.self, StateFindingsCommand.self,
      StateKeysCommand.self, StateBuildsCommand.self,
      StateExportCommand.self, StateImportCommand.self, StatePruneCommand.self,
      StateRollbackCommand.self,
    ])

  func run() throws {
    throw CommandError(
      .usage, "no command is given", hint: "use \(Tool.name) state --help to list them")
  }
}

protocol StateUser: ParsableCommand {
  var argument: StateArgument { get }
}

struct StateArgument: ParsableArguments {
  @Argument(help: .of("dir", "Use this state directory."))
  var state: String

  func openToRead() throws -> StateDirectory {
    try StateDirectory.open(path: state, mode: .reference, now: Clock.now)
  }
}

/// The option for the lock with which a command takes the state for itself.
struct StateLockOption: ParsableArguments {
  @Option(
    help: .of("duration", "Wait this long for another run to release the state. (default: 0s)"))
  var waitLock: String?

  /// Opens the state for changes. It has to exist, unless it `mayBeMade`.
  func open(_ argument: StateArgument, mayBeMade: Bool = false) throws -> StateDirectory {
    let wait = try SettingFormat<Int64>.duration.value(waitLock, of: "--wait-lock") ?? 0
    // Read first, so that nothing is made if there is no state.
    if !mayBeMade { _ = try argument.openToRead() }
    return try StateDirectory.open(path: argument.state, mode: .advance, wait: wait, now: Clock.now)
  }

  /// Returns the facts of a change, which counts as a run of its own.
  static func facts(
    _ what: String, window: Int64 = .max, pendingFor: Int64 = .max
  ) -> TransactionFacts {
    let now = Clock.now
    return TransactionFacts(
      id: "\(what)-\(Clock.identifier(now))", day: CivilTime(milliseconds: now).dateText,
      startedAt: now, window: window, pendingFor: pendingFor)
  }
}

struct StateBuildsCommand: StateUser {
  static let configuration = CommandConfiguration.named(
    "builds", "Print the builds of the apps that runs have seen: CSV, one row for each build.",
    """
    A build is App ID, platform, validation category, bundle version and code hash, as Apple's system \
    signed them. first_night is the day of the first run that saw the build, and nights is the \
    number of runs that saw it.
    """)

  @OptionGroup var argument: StateArgument

  func run() throws {
    let state = try argument.openToRead()
    var text = BuildColumns.kept.headerRow
    for (build, sighting) in try state.builds() {
      text += BuildColumns.kept.csv(ReportedBuild(BuildRow(build), sighting))
    }
    Console.print(rows: text)
  }
}

struct StateVerifyCommand: StateUser, StatusCommand {
  static let configuration = CommandConfiguration.named(
    "verify", "Check every file and row of the state for corruption.",
    """
    verify changes nothing. Exit status: 0 the state is undamaged, 70 the state is damaged.
    """)

  @OptionGroup var argument: StateArgument

  func status() throws -> ExitStatus {
    let path = argument.state
    let found = try StateVerification.run(path: path)
    try CommandError.throwAll(
      found.damages.map(\.context),
      hint: "restore the directory from a backup, or begin a new one with another --state",
      status: .failure)
    Console.print(
      "no damage found in \(OneLine.escape(path)): "
        + "\(SummaryNumber.grouped(found.rows)) rows and \(found.segments) segments were read\n")
    return .clean
  }
}

struct StateImportCommand: StateUser {
  static let configuration = CommandConfiguration.named(
    "import", "Add a list of keys, in the form of --keys, to the state.",
    """
    Nothing is lost for keys that the state knows: counters are never lowered, the earlier of two \
    times of attestation counts, and other values are only filled in if they are unknown. Either \
    all keys of the list are added or none. If there is no state, it is made. Exit status 75: \
    another run has locked the state.
    """)

  @OptionGroup var argument: StateArgument

  @Argument(help: "Read this list: CSV with a header, or JSON Lines.")
  var file: String

  @OptionGroup var lock: StateLockOption

  func run() throws {
    let list = try KnownKeysFile.read(NamedPath(path: file, origin: file))
    for notice in list.notices { Console.note("notice: \(notice)") }
    let state = try lock.open(argument, mayBeMade: true)
    let imported = try state.importKeys(list.keys, from: file, StateLockOption.facts("import"))
    let number = SummaryNumber.grouped
    Console.print(
      "\(number(UInt64(imported.added))) keys added, "
        + "\(number(UInt64(imported.raised))) keys completed, "
        + "\(number(UInt64(imported.unchanged))) keys as they were\n")
  }
}

struct StatePruneCommand: StateUser {
  static let configuration = CommandConfiguration.named(
    "prune", "Remove data that are older than the windows, and free their disk space.",
    """
    Hashes and withdrawn findings that are older than --window are removed, and waiting assertions \
    that are older than --pending-for. Every run with --state-mode advance removes hashes and \
    waiting assertions automatically. Exit status 75: another run has locked the state.
    """)

  @OptionGroup var argument: StateArgument

  @Option(help: .of("duration", "Keep hashes for this long. (default: as in the last run)"))
  var window: String?

  @Option(
    help: .of("duration", "Keep waiting assertions for this long. (default: as in the last run)"))
  var pendingFor: String?

  @Flag(help: "Change nothing, and print what would be removed.")
  var dryRun = false

  @OptionGroup var lock: StateLockOption

  func run() throws {
    let window = try SettingFormat<Int64>.duration.value(window, of: "--window")
    let pendingFor = try SettingFormat<Int64>.duration.value(pendingFor, of: "--pending-for")
    let state = try dryRun ? argument.openToRead() : lock.open(argument)
    let recorded = try state.windows()
    guard let window = window ?? recorded?.window,
      let pendingFor = pendingFor ?? recorded?.pendingFor
    else {
      throw CommandError(
        .usage, "no run has recorded how long the state is kept",
        hint: "set it with --window DURATION and --pending-for DURATION")
    }
    let pruned = try state.prune(
      StateLockOption.facts("prune", window: window, pendingFor: pendingFor), isTrial: dryRun)
    Console.print(
      SummaryNumber.counted(pruned.segments, "file") + " of hashes and waiting assertions, and "
        + SummaryNumber.counted(pruned.findings, "withdrawn finding")
        + ", \(dryRun ? "would be " : "")forgotten, "
        + "\(ProgressText.size(Int(clamping: max(0, pruned.bytes)))) given back\n")
  }
}
