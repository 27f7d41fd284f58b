import ArgumentParser
import AuditReport
import AuditSettings

/// The names of commands, as the user typed them.
enum CommandName {
  /// Returns the command that the first of `arguments` name, and the arguments behind its name.
  ///
  /// - Throws: ``CommandError`` if they begin with the name of a command that does not exist.
  static func find(
    _ arguments: [String], below root: any ParsableCommand.Type
  ) throws(CommandError) -> (command: any ParsableCommand.Type, rest: [String]) {
    var command = root
    var place = ""
    for (index, argument) in arguments.enumerated() {
      let commands = command.configuration.subcommands
      guard !commands.isEmpty, argument == "-" || !argument.hasPrefix("-"), argument != "help"
      else { return (command, Array(arguments[index...])) }
      guard let next = commands.first(where: { name(of: $0) == argument }) else {
        throw CommandError(
          .usage, "there is no command '\(argument)'\(place)",
          hint: hint(below: command, typed: argument))
      }
      place = " of \(argument)"
      command = next
    }
    return (command, [])
  }

  /// Returns the sentence that lists the commands below another, with the nearest one to `typed`
  /// first.
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
