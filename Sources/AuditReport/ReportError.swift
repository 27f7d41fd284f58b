internal import AuditLog
internal import Glibc

/// Why a report could not be written.
package struct ReportError: Error, Equatable {
  /// What kind of thing went wrong.
  package enum Code: Sendable, Equatable {
    /// The folder or a file in it cannot be written; the number is `errno`.
    case cannotWrite(Int32)
    /// The folder is there already, and was not to be replaced.
    case exists
    /// The folder is there, is to be replaced, and is no report of this tool.
    case notAReport
    /// What is read as a report is none, or was changed since it was written.
    case invalid
    /// The report was abandoned while it was written.
    case abandoned
  }
  package var code: Code
  /// One line for people, without a full stop; names the path.
  package var context: String

  package init(_ code: Code, _ context: String) {
    self.code = code
    self.context = context
  }

  /// The error of a system call that failed with `number` for `path`.
  static func system(_ what: String, _ path: String, _ number: Int32 = errno) -> ReportError {
    ReportError(.cannotWrite(number), "\(what) \(path): \(ErrorText.describe(number))")
  }

  static let abandonedError = ReportError(.abandoned, "the report was abandoned")
}
