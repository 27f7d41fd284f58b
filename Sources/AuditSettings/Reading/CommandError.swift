internal import Basics

/// The reason why the program ends early: one line for people, and advice on what to do next, if
/// there is any.
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

  /// Makes an error of one line. Characters that would end the line, or control a terminal, become
  /// escapes; the middle of a very long message is left out.
  package init(_ status: ExitStatus, _ message: String, hint: String? = nil) {
    self.status = status
    self.message = OneLine.cut(OneLine.escape(message), limit: Self.messageLimit)
    self.hint = hint.map(OneLine.escape)
  }

  /// Returns the error as one about a file that contains the whole mistake: the file is at fault,
  /// not the command line.
  package func ofFile(_ path: String) -> CommandError {
    var error = CommandError(
      .invalidFile, status == .usage ? "\(path): \(message)" : message, hint: hint)
    error.earlier = earlier
    return error
  }
}
