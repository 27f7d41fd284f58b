import ArgumentParser
import AuditReport
import AuditSettings
import CLinux
import Files
import Glibc
import OpenSSL

/// The program: audits archived App Attest logs.
@main
struct AttestAudit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Tool.name,
    abstract: "Audit archived App Attest logs, and find forged and replayed requests.",
    version: "\(Tool.name) \(Tool.version)",
    subcommands: [
      AuditCommand.self, SimulateCommand.self, ReportCommand.self, DiffCommand.self,
      TimelineCommand.self,
      ExplainCommand.self, InspectCommand.self, EvidenceCommand.self, CheckCommand.self,
      InitCommand.self, StateCommand.self, SettingsCommand.self,
      StageCommand.self,
    ])

  mutating func run() throws {
    throw CommandError(.usage, "no command is given", hint: CommandName.hint(below: Self.self))
  }

  static func main() {
    EndSignals.hold()
    // Writing to a closed pipe or beyond a limit is an error of that write, not the end.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    StandardStreams.fillClosed()
    Library.keepUntilTheEnd()
    // A fixed threshold: one that follows the freed sizes leaves holes in the heap for each of many
    // inputs.
    attest_fix_mmap_threshold(128 << 10)
    Glibc.exit(status(of: Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  /// Returns the command that `arguments` name, with its flags.
  ///
  /// A command is parsed by itself, with only the flags that are given: from the root on, all flags
  /// are made many times, which takes longer than a small audit. Help and errors are produced from
  /// the root.
  private static func command(of arguments: [String]) throws -> any ParsableCommand {
    let (named, rest) = try CommandName.find(arguments, below: Self.self)
    if named.configuration.subcommands.isEmpty {
      let command = FlagDeclaration.$arguments.withValue(rest) { try? named.parseAsRoot(rest) }
      if let command, type(of: command) == named { return command }
    }
    return try parseAsRoot(arguments)
  }

  /// Throws if an argument is not UTF-8: its invalid bytes would be replaced, and would name
  /// another file.
  private static func requireText() throws(CommandError) {
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = unsafe CommandLine.unsafeArgv[index],
        unsafe String(validatingCString: argument) == nil
      else { continue }
      throw CommandError(
        .usage, "'\(unsafe String(cString: argument))' is not UTF-8",
        hint: "also link the file under another name")
    }
  }

  /// Runs the command that `arguments` name. Reports an error on standard error.
  private static func status(of arguments: [String]) -> ExitStatus {
    do {
      try ProcessLimits.requireSpace()
      try requireText()
      var command = try command(of: arguments)
      // An audit waits for signals itself, so that nothing is left of it.
      let waits =
        command is AuditCommand || command is StageCommand || command is SimulateCommand
      if !waits { EndSignals.release() }
      let status = try (command as? any StatusCommand)?.status()
      if status == nil { try command.run() }
      // The report of an audit contains all that the audit prints.
      if Console.hasLostOutput, !waits { return .cannotWrite }
      return status ?? .clean
    } catch let error as CommandError {
      Console.report(error)
      return error.status
    } catch  where exitCode(for: error) == .success {
      Console.print(unchanged: fullMessage(for: error) + "\n")
      return Console.hasLostOutput ? .cannotWrite : .clean
    } catch let error as ExitCode {
      return ExitStatus(rawValue: error.rawValue) ?? .failure
    } catch {
      let usage = exitCode(for: error) == .validationFailure
      Console.report(
        UsageMessage.error(message(for: error), status: usage ? .usage : .failure))
      return usage ? .usage : .failure
    }
  }
}

/// A command that ends with a status of its own.
protocol StatusCommand {
  func status() throws -> ExitStatus
}
