internal import Basics

/// Why the program ends early: one line for people, and what to do next where there is something.
package struct CommandError: Error, Equatable {
  package var status: ExitStatus
  /// Lower case, without a full stop.
  package var message: String
  package var hint: String?

  /// Makes an error of one line: characters that would end it, or drive a terminal, become escapes.
  package init(_ status: ExitStatus, _ message: String, hint: String? = nil) {
    self.status = status
    self.message = OneLine.escape(message)
    self.hint = hint.map(OneLine.escape)
  }

  /// Returns the error as one of a file that holds all of what is wrong: its fault, not the command
  /// line's.
  package func ofFile(_ path: String) -> CommandError {
    CommandError(.invalidFile, status == .usage ? "\(path): \(message)" : message, hint: hint)
  }
}
