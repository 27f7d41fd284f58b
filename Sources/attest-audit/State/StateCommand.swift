import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import AuditState
import Basics

/// `attest-audit state`: manages the data that are kept from run to run.
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

/// The state that a command works on.
struct StateArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("Use this state directory.", valueName: "dir"))
  var state: String

  /// Opens the state for reading.
  func openToRead() throws(CommandError) -> StateDirectory {
    do throws(StateError) {
      return try StateDirectory.open(path: state, mode: .reference, now: Clock.now)
    } catch { throw CommandError(error, path: state) }
  }

  /// Calls `body`, and turns its errors of the state into errors of the command.
  func told<Value>(_ body: () throws(StateError) -> Value) throws(CommandError) -> Value {
    do throws(StateError) { return try body() } catch {
      throw CommandError(error, path: state)
    }
  }
}

/// The option for the lock with which a command takes the state for itself.
struct StateLockOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Wait this long for another run to release the state. (default: 0s)", valueName: "duration"))
  var waitLock: String?

  /// Opens the state for changes. It has to exist, unless it `mayBeMade`.
  func open(
    _ argument: StateArgument, mayBeMade: Bool = false
  ) throws(CommandError) -> StateDirectory {
    let wait = try Self.duration("--wait-lock", waitLock) ?? 0
    // Read first, so that nothing is made if there is no state.
    if !mayBeMade { _ = try argument.openToRead() }
    return try argument.told { () throws(StateError) in
      try StateDirectory.open(path: argument.state, mode: .advance, wait: wait, now: Clock.now)
    }
  }

  /// Returns a duration in milliseconds, or nil if the flag is not given.
  static func duration(_ flag: String, _ text: String?) throws(CommandError) -> Int64? {
    guard let text else { return nil }
    switch SettingFormat<Int64>.duration.read(text) {
    case .success(let value): return value
    case .failure(let complaint): throw CommandError(.usage, "\(flag): \(complaint.text)")
    }
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
