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
}
