internal import AuditLog
internal import Basics
internal import Files

/// The reason why the program ends early: one line for people, and perhaps advice.
package struct CommandError: Error, Equatable {
  package var status: ExitStatus
  /// Lower case, without a full stop.
  package var message: String
  package var hint: String?
  /// The line of a file that it is about, or nil if it is about none.
  var line: Int?
  /// Further errors of the same file, which are reported first.
  package var earlier: [CommandError] = []

  /// Returns whether two errors have the same words. These include the line.
  package static func == (left: CommandError, right: CommandError) -> Bool {
    (left.status, left.message, left.hint, left.earlier)
      == (right.status, right.message, right.hint, right.earlier)
  }

  /// The longest message, in characters: a value that somebody typed may have any length.
  private static let messageLimit = 2_000

  /// Makes an error of one line: controls become escapes, the middle of a long one is left out.
  package init(_ status: ExitStatus, _ message: String, hint: String? = nil) {
    self.status = status
    self.message = OneLine.cut(OneLine.escape(message), limit: Self.messageLimit)
    self.hint = hint.map(OneLine.escape)
  }

  package static func require(
    _ isMet: Bool, _ message: @autoclosure () -> String, hint: @autoclosure () -> String? = nil,
    status: ExitStatus = .usage
  ) throws(CommandError) {
    guard isMet else { throw CommandError(status, message(), hint: hint()) }
  }

  package static func throwAll(_ errors: [CommandError]) throws(CommandError) {
    guard var last = errors.last else { return }
    last.earlier = Array(errors.dropLast())
    throw last
  }

  /// Throws errors with these messages, of which the last has the hint.
  package static func throwAll(
    _ messages: [String], hint: @autoclosure () -> String, status: ExitStatus
  ) throws(CommandError) {
    var errors = messages.map { CommandError(status, $0) }
    errors.popLast().map { errors.append(CommandError(status, $0.message, hint: hint())) }
    try throwAll(errors)
  }

  /// Returns the error as one about a file that contains the whole mistake.
  package func ofFile(_ path: String) -> CommandError {
    var error = CommandError(
      .invalidFile, status == .usage ? "\(path): \(message)" : message, hint: hint)
    error.earlier = earlier
    return error
  }
}

extension Optional {
  package func orThrow(
    _ message: @autoclosure () -> String, hint: @autoclosure () -> String? = nil,
    status: ExitStatus = .usage
  ) throws(CommandError) -> Wrapped {
    guard let self else { throw CommandError(status, message(), hint: hint()) }
    return self
  }
}

/// The exit status of the program. The numbers above 63 are those of sysexits(3).
package enum ExitStatus: Int32, Sendable {
  /// The audit is complete, without findings at or above the level to fail on.
  case clean = 0
  /// The audit is complete, with findings at or above that level.
  case findings = 1
  /// The audit is partial: an input was unreadable, damaged, or another log than was said.
  case partial = 2
  case usage = 64
  /// A pipeline, key or trust-anchor file that is not valid.
  case invalidFile = 65
  case failure = 70
  /// The report, or a temporary file, cannot be written.
  case cannotWrite = 73
  /// Another run has locked the state.
  case locked = 75
  case interrupted = 130
  case terminated = 143
}

/// The search for the name that a user meant.
package enum NearestName {
  package static func of(_ name: String, among names: [String]) -> String? {
    let typed = Array(name.lowercased().utf8.prefix(64))
    var best: (name: String, distance: Int)?
    for candidate in names {
      // A letter that is replaced, or in another place, counts twice.
      let distance = typed.difference(from: Array(candidate.lowercased().utf8)).count
      if distance < best?.distance ?? Int.max { best = (candidate, distance) }
    }
    guard let best, best.distance <= max(2, typed.count / 3), best.distance < typed.count else {
      return nil
    }
    return best.name
  }

  /// Returns a hint that asks for the closest name, or nil if none is close.
  package static func hint(_ name: String, among names: [String]) -> String? {
    of(name, among: names).map { "did you mean '\($0)'?" }
  }

  /// Returns a hint about a path at which nothing is: the closest name in its folder, or how to list it.
  package static func hint(path: String) -> String? {
    guard FileStatus(path: path) == nil else { return nil }
    let (folder, name) = PathText.split(path)
    guard let names = try? Folder(path: folder).names() else { return hint(path: folder) }
    let isGlob = name.contains { "*?[".contains($0) }
    if !isGlob, let nearest = of(name, among: names) {
      let isBare = folder == "." && !path.hasPrefix("./")
      return "did you mean '\(isBare ? nearest : PathText.join(folder, nearest))'?"
    }
    return "list the folder: " + ShellText.command("ls \(ShellText.quoted(folder))")
  }
}
