import AuditEngine
import AuditSettings

extension CommandError {
  /// Makes the error of an audit that could not be carried through, for people.
  init(_ error: AuditError) {
    switch error.code {
    case .temporaryStorage:
      self.init(
        .cannotWrite, error.context, hint: "--temp-dir names a folder with more room")
    case .inputChanged:
      self.init(
        .failure, error.context,
        hint: "the next run reads it; --settle DURATION lets files wait that were just changed")
    case .damagedState:
      self.init(
        .failure, error.context, hint: "attest-audit state verify says what is damaged")
    case .stateStorage: self.init(.cannotWrite, error.context)
    case .trustAnchor: self.init(.invalidFile, error.context)
    case .tooFewDescriptors:
      self.init(.cannotWrite, error.context, hint: "ulimit -n or LimitNOFILE= allows more")
    case .memory:
      self.init(
        .failure, error.context, hint: "ulimit -v allows more, or --memory and --jobs take less")
    case .brokenStream:
      self.init(
        .failure, error.context, hint: "the process that wrote it has failed, or was ended")
    case .otherSettings:
      self.init(
        .invalidFile, error.context,
        hint: "all stages of an audit take the same pipeline file, flags and program")
    case .cancelled, .inconsistent: self.init(.failure, error.context)
    }
  }
}
