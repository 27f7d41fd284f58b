/// Why the program ends early: one line for people, and what to do next where there is something.
struct CommandError: Error, Equatable {
  var status: ExitStatus
  /// Lower case, without a full stop.
  var message: String
  var hint: String?

  init(_ status: ExitStatus, _ message: String, hint: String? = nil) {
    self.status = status
    self.message = message
    self.hint = hint
  }
}
