import AuditEngine
import AuditReport
import AuditSettings
import AuditState
import Files

extension CommandError {
  /// Returns the error of a failed run in a form for people. `state` is the state's folder as the user named it.
  static func described(_ error: any Error, state: String?) -> any Error {
    switch error {
    case let error as AuditError: CommandError(error, path: state ?? "")
    case let error as ReportError: CommandError(error)
    default: error
    }
  }

  /// Makes the error of an audit that could not be carried through, or of a command that could not
  /// use the state at `path`, as the user named it.
  init(_ error: AuditError, path: String) {
    switch error.code {
    case .temporaryStorage:
      self.init(
        .cannotWrite, error.context, hint: "use --temp-dir to name a folder with more space")
    case .inputChanged:
      self.init(
        .failure, error.context,
        hint: "run again, or use --settle DURATION for files that were just changed")
    case .damaged, .tooNew, .missing, .exposed:
      self.init(.failure, error.context, hint: error.hint(path: path))
    case .stateStorage, .full: self.init(.cannotWrite, error.context, hint: error.hint(path: path))
    case .locked: self.init(.locked, error.context, hint: error.hint(path: path))
    case .notAState, .noGeneration: self.init(.usage, error.context, hint: error.hint(path: path))
    case .trustAnchor: self.init(.invalidFile, error.context)
    case .tooFewDescriptors:
      self.init(.cannotWrite, error.context, hint: "allow more with ulimit -n or LimitNOFILE=")
    case .memory:
      self.init(
        .failure, error.context,
        hint: "allow more with ulimit -v, or use less with --memory and --jobs")
    case .brokenStream:
      self.init(
        .failure, error.context, hint: "check the process that wrote it: it failed or was ended")
    case .otherSettings:
      self.init(
        .invalidFile, error.context,
        hint: "use the same pipeline file, flags and program for all stages")
    case .cancelled, .inconsistent: self.init(.failure, error.context)
    }
  }
}
