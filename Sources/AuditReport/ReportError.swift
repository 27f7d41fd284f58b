internal import Files

/// The reason why a report could not be written.
package struct ReportError: Error, Equatable {
  /// The kind of error.
  package enum Code: Sendable, Equatable {
    /// The folder or a file in it cannot be written. The number is `errno`.
    case cannotWrite(Int32)
    /// The folder in which the report would be does not exist: its path.
    case noFolder(String)
    /// The folder exists already, and was not to be replaced.
    case exists
    /// The folder exists, is to be replaced, and is no report of this tool.
    case notAReport
    /// The folder that is read is no report, or was changed since it was written.
    case invalid
    /// The report has no index of events.
    case noIndex
    /// The report was abandoned while it was written.
    case abandoned
  }
  package var code: Code
  /// One line for people, without a full stop. It names the path.
  package var context: String

  package init(_ code: Code, _ context: String) {
    self.code = code
    self.context = context
  }

  init(_ error: AuditError) {
    self.init(.cannotWrite(error.number), error.context)
  }

  static let abandonedError = ReportError(.abandoned, "the report was abandoned")
}

/// Calls `body`, and turns its error into a ``ReportError``.
func asReportError<Value: ~Copyable>(
  _ body: () throws(AuditError) -> Value
) throws(ReportError) -> Value {
  do throws(AuditError) { return try body() } catch { throw ReportError(error) }
}
