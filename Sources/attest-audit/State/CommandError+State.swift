import AuditSettings
import AuditState

extension CommandError {
  /// Makes the error of a command that could not use the state at `path`, as the user named it.
  init(_ error: StateError, path: String) {
    let status: ExitStatus =
      switch error.code {
      case .locked: .locked
      case .cannotWrite, .full: .cannotWrite
      case .damaged, .tooNew, .missing, .exposed: .failure
      case .notAState, .noGeneration: .usage
      }
    self.init(status, error.context, hint: error.hint(path: path))
  }
}
