/// The reason for which an audit could not be carried through. Bad data never is one.
package struct AuditError: Error, Equatable {
  /// The kind of error.
  package enum Code: Sendable, Equatable {
    /// The temporary folder cannot be written or read; the number is `errno`.
    case temporaryStorage(Int32)
    /// A file of the state that is missing, or was changed: its path in the directory.
    case damaged(file: String)
    /// A state that another process has locked: which, and since when (milliseconds since 1970).
    case locked(pid: Int32?, since: Int64?)
    /// A state written by a newer program, in a format of that version.
    case tooNew(Int)
    /// A state that does not exist.
    case missing
    /// A directory that contains something else than a state.
    case notAState
    /// A state that others can change.
    case exposed
    /// A run before which no state is kept.
    case noGeneration
    /// A state that has no room for more: 2³² sources.
    case full
    /// The state cannot be written or read; the number is `errno`.
    case stateStorage(Int32)
    /// A trust anchor is not a certificate that can be used.
    case trustAnchor
    /// An input was changed between the look at it and its reading.
    case inputChanged
    /// The process may not open more files.
    case tooFewDescriptors
    /// A stream of rows from or to another process broke off, or holds what no stage writes.
    case brokenStream
    /// A stream of rows was made with other settings than these.
    case otherSettings
    /// The system has no address space left for rows.
    case memory
    /// The run was cancelled.
    case cancelled
    /// An invariant is violated: our own mistake.
    case inconsistent
  }
  package var code: Code
  /// One line for people, without a full stop.
  package var context: String

  package init(_ code: Code, _ context: String) {
    self.code = code
    self.context = context
  }

  /// Makes the error of a temporary file.
  package init(_ error: FileError) {
    self.init(.temporaryStorage(error.number), error.message)
  }
}
