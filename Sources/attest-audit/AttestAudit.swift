import ArgumentParser
import AuditReport
import AuditSettings
import Basics
import CLinux
import Files
import Glibc
import OpenSSL

/// The program: audits archived App Attest logs.
@main
struct AttestAudit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: CommandName.program,
    abstract: "Audit archived App Attest logs, and find forged and replayed requests.",
    version: "\(Tool.name) \(Tool.version)",
    subcommands: [
      AuditCommand.self, SimulateCommand.self, ReportCommand.self, DiffCommand.self,
      TimelineCommand.self,
      ExplainCommand.self, InspectCommand.self, EvidenceCommand.self, CheckCommand.self,
      InitCommand.self, StateCommand.self, StageCommand.self,
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
    // A threshold that follows the freed sizes would leave holes in the heap for each input.
    attest_fix_mmap_threshold(128 << 10)
    Glibc.exit(status(of: Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  /// Returns the command that `arguments` name. It is parsed by itself, with only the flags that
  /// are given: to make all takes longer than a small audit. Help and errors are made from the
  /// root.
  private static func command(of arguments: [String]) throws -> any ParsableCommand {
    let (named, rest) = try CommandName.find(arguments, below: Self.self)
    if named.configuration.subcommands.isEmpty {
      let command = FlagDeclaration.declaringOnly(rest) { try? named.parseAsRoot(rest) }
      if let command, type(of: command) == named { return command }
    }
    return try parseAsRoot(arguments)
  }

  /// Throws if an argument is not UTF-8: with bytes replaced it would name another file.
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

  private static func status(of arguments: [String]) -> ExitStatus {
    do {
      try ProcessLimits.requireSpace()
      try requireText()
      var command = try command(of: arguments)
      // An audit waits for signals itself, so that nothing is left of it.
      let waits = command is AuditCommand || command is StageCommand || command is SimulateCommand
      if !waits { EndSignals.release() }
      var status: ExitStatus?
      do {
        status = try (command as? any StatusCommand)?.status()
        if status == nil { try command.run() }
      } catch {
        throw CommandError.described(error, state: (command as? any StateUser)?.argument.state)
      }
      // The report of an audit contains all that the audit prints.
      if Console.hasLostOutput, !waits { return .cannotWrite }
      return status ?? .clean
    } catch let error as CommandError {
      Console.report(error)
      return error.status
    } catch let error as ExitCode where error != .success {
      return ExitStatus(rawValue: error.rawValue) ?? .failure
    } catch {
      let code = exitCode(for: error)
      guard code != .success else {
        Console.print(unchanged: UsageMessage.wrapped(fullMessage(for: error)) + "\n")
        return Console.hasLostOutput ? .cannotWrite : .clean
      }
      let status = code == .validationFailure ? ExitStatus.usage : .failure
      let command = CommandName.typed(arguments, below: Self.self)
      Console.report(UsageMessage.error(message(for: error), status: status, command: command))
      return status
    }
  }
}

protocol StatusCommand: ParsableCommand {
  func status() throws -> ExitStatus
}

/// The names of commands, as the user typed them.
enum CommandName {
  /// The program, above each command: one that is parsed by itself makes no completion script.
  static let program = Tool.name

  /// Returns the command that the first of `arguments` name, and the others, or throws for none.
  static func find(
    _ arguments: [String], below root: any ParsableCommand.Type
  ) throws(CommandError) -> (command: any ParsableCommand.Type, rest: [String]) {
    let (command, names) = path(arguments, below: root)
    let rest = Array(arguments.dropFirst(names.count))
    guard !command.configuration.subcommands.isEmpty, let argument = rest.first,
      argument == "-" || !argument.hasPrefix("-"), argument != "help"
    else { return (command, rest) }
    throw CommandError(
      .usage, "there is no command '\(argument)'" + (names.last.map { " of \($0)" } ?? ""),
      hint: hint(below: command, typed: argument))
  }

  /// Returns the program's name and the names of commands with which arguments begin.
  static func typed(_ arguments: [String], below root: any ParsableCommand.Type) -> String {
    ([program] + path(arguments, below: root).names).joined(separator: " ")
  }

  private static func path(
    _ arguments: [String], below root: any ParsableCommand.Type
  ) -> (command: any ParsableCommand.Type, names: [String]) {
    var command = root
    let names = arguments.prefix { argument in
      let next = command.configuration.subcommands.first { name(of: $0) == argument }
      command = next ?? command
      return next != nil
    }
    return (command, Array(names))
  }

  /// Returns the sentence that lists the commands below another, the one nearest to `typed` first.
  static func hint(below command: any ParsableCommand.Type, typed: String = "") -> String {
    let names = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      .map { name(of: $0) }
    let nearest = NearestName.of(typed, among: names).map { "did you mean '\($0)'? Otherwise " }
    return "\(nearest ?? "")use one of: \(names.joined(separator: ", "))"
  }

  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? ""
  }
}

/// A message of ArgumentParser, reworded for this program: one line, lower case, no full stop.
enum UsageMessage {
  /// Returns a help text whose line of usage is broken where it is long, and no option in it.
  static func wrapped(_ help: String) -> String {
    let prefix = "USAGE: "
    return help.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      guard line.hasPrefix(prefix) else { return [String(line)] }
      var depth = 0
      let joined = line.map { character in
        if character == "[" { depth += 1 }
        if character == "]" { depth -= 1 }
        return character == " " && depth > 0 ? TextWrap.joint : character
      }
      return TextWrap.lines(String(joined), hang: prefix.count)
    }.joined(separator: "\n")
  }

  static func error(_ message: String, status: ExitStatus, command: String) -> CommandError {
    var text = message.split(whereSeparator: \.isNewline)
      .map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }.joined(separator: " ")
    while let last = text.last, last == "." || last == " " { text.removeLast() }
    if let first = text.first, text.dropFirst().first?.isUppercase != true {
      text = first.lowercased() + text.dropFirst()
    }
    return CommandError(status, text, hint: "see \(command) --help")
  }
}
