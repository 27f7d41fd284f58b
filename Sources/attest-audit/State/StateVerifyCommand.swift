import ArgumentParser
import AuditReport
import AuditSettings
import AuditState
import Basics
import Files

/// `attest-audit state verify`: reads everything in a state.
struct StateVerifyCommand: ParsableCommand, StatusCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check every file and row of the state for corruption.",
    discussion: """
      verify changes nothing. Exit status: 0 the state is undamaged, 70 the state is damaged.
      """)

  @OptionGroup var argument: StateArgument

  func run() throws { throw ExitCode(try status().rawValue) }

  func status() throws -> ExitStatus {
    let path = argument.state
    let found = try argument.told { () throws(StateError) in
      try StateVerification.run(path: path)
    }
    for damage in found.damages.dropLast() {
      Console.report(CommandError(.failure, damage.context))
    }
    if let last = found.damages.last {
      throw CommandError(
        .failure, last.context,
        hint: "restore the directory from a backup, or begin a new one with another --state")
    }
    Console.print(
      "the state \(OneLine.escape(path)) is undamaged: "
        + "\(SummaryNumber.grouped(found.rows)) rows and \(found.segments) segments were read\n")
    return .clean
  }
}
