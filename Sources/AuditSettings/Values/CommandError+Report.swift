internal import AuditLog
package import AuditReport

extension CommandError {
  /// Makes the error of a report that is read or written, for people.
  package init(_ error: ReportError) {
    switch error.code {
    case .exists:
      self.init(.cannotWrite, error.context, hint: "use --overwrite to replace the earlier report")
    case .notAReport:
      self.init(.cannotWrite, error.context, hint: "name a folder that does not exist")
    case .invalid:
      self.init(
        .invalidFile, error.context, hint: "name a complete report folder, as audit wrote it")
    case .noIndex:
      self.init(
        .invalidFile, error.context,
        hint: "audit --index writes one (report.index); without --report, timeline reads the logs")
    case .noFolder(let path):
      self.init(
        .cannotWrite, error.context,
        hint: "make it: " + ShellText.command("mkdir -p \(ShellText.quoted(path))"))
    case .cannotWrite, .abandoned: self.init(.cannotWrite, error.context)
    }
  }
}
