import AuditEngine
import AuditSettings

extension CommandError {
  /// Makes the error of an audit that could not be carried through, for people.
  init(_ error: AuditError) {
    switch error.code {
    case .temporaryStorage:
      self.init(
        .cannotWrite, error.context, hint: "use --temp-dir to name a folder with more space")
    case .inputChanged:
      self.init(
        .failure, error.context,
        hint: "run again, or use --settle DURATION for files that were just changed")
    case .damagedState:
      self.init(
        .failure, error.context, hint: "run attest-audit state verify to find the damage")
    case .stateStorage: self.init(.cannotWrite, error.context)
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
