internal import Glibc

/// The reason for which an audit could not be carried through. Bad data never is one.
package struct AuditError: Error, Equatable {
  package enum Code: Sendable, Equatable {
    /// The temporary folder cannot be written or read; the number is `errno`.
    case temporaryStorage(Int32)
    /// A file of the state that is missing, or was changed: its path in the directory.
    case damaged(file: String)
    /// A state that another process has locked: which, and since when (milliseconds since 1970).
    case locked(pid: Int32?, since: Int64?)
    /// A state written by another version of the program, in that format.
    case otherFormat(Int)
    /// A state that does not exist.
    case missing
    case notAState
    /// A state that others can change.
    case exposed
    /// A run before which no state is kept.
    case noGeneration
    /// A state that has no room for more: 2³² sources.
    case full
    /// The system refused something that was to be done with a file or folder; the number is `errno`.
    case file(Int32)
    /// A folder in which a state or a report would be does not exist: its path.
    case noFolder(String)
    /// A report folder exists already, and was not to be replaced.
    case exists
    /// A folder exists, is to be replaced, and is no report.
    case notAReport
    /// A report that is read is none, or was changed since it was written.
    case invalid
    case noIndex
    /// A trust anchor is not a certificate that can be used.
    case trustAnchor
    /// An input was changed between the look at it and its reading.
    case inputChanged
    case tooFewDescriptors
    /// A stream of rows from or to another process broke off, or holds what no stage writes.
    case brokenStream
    /// A stream of rows was made with other settings than these.
    case otherSettings
    /// The system has no address space left for rows.
    case memory
    case cancelled
    /// An invariant is violated: our own mistake.
    case inconsistent
  }
  package var code: Code
  /// One line for people, without a full stop.
  package var context: String
  /// The words before the path of a file or folder, or an empty text.
  package private(set) var action = ""

  package init(_ code: Code, _ context: String) {
    self.code = code
    self.context = context
  }

  /// Makes the error of a file or folder: `cannot read a: permission denied`. The action is the words
  /// before the path, and the path is as the user knows it.
  package init(_ action: String, _ path: String, _ number: Int32) {
    self.init(.file(number), "\(action) \(path): \(ErrorText.describe(number))")
    self.action = action
  }
}

extension AuditError {
  /// Returns the error of the system call that failed last on this thread.
  static func last(_ action: String, _ path: String) -> AuditError {
    AuditError(action, path, errno)
  }

  /// The system's error number, or 0 if the error is not that of a file or folder.
  package var number: Int32 { if case .file(let number) = code { number } else { 0 } }

  /// Whether something has the name that was to be given.
  package var isTaken: Bool { number == EEXIST }

  package func told(_ action: String, _ path: String) -> AuditError {
    AuditError(action, path, number)
  }
}
