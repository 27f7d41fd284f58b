package import AuditEngine
internal import Files
internal import Glibc
internal import RowShuffle

/// The reason for which a state could not be opened, read or changed.
package struct StateError: Error, Equatable {
  /// The kind of error.
  package enum Code: Sendable, Equatable {
    /// A lock that another process holds: which, and since when (milliseconds since 1970), if the
    /// lock says so.
    case locked(pid: Int32?, since: Int64?)
    /// A file that is not what was written, or that is missing: its path in the
    /// directory.
    case damaged(file: String)
    /// A state that cannot be written or read. The number is `errno`.
    case cannotWrite(Int32)
    /// A state written by a newer program, in a format of that version.
    case tooNew(Int)
    /// A state that does not exist.
    case missing
    /// A directory that holds something else.
    case notAState
    /// A state that others can change.
    case exposed
    /// A run before which no state is kept.
    case noGeneration
    /// A state that has no room for more: 2³² sources.
    case full
  }
  package var code: Code
  /// One line for people, without a full stop. It names the directory or file.
  package var context: String

  package init(_ code: Code, _ context: String) {
    self.code = code
    self.context = context
  }

  /// Returns what to do next, for people, or nil if there is nothing to say.
  package func hint(path: String) -> String? {
    switch code {
    case .locked: "use --wait-lock 10m to wait for it"
    case .damaged: "run attest-audit state verify \(path)"
    case .tooNew: "use the program that wrote it, or a newer one"
    case .missing: "make one with a run in --state-mode advance"
    case .exposed: "use chmod go-w \(path), and run as its owner"
    case .notAState: "name a folder that is empty or does not exist"
    case .noGeneration: "raise state.generations to keep more"
    case .cannotWrite(ENOENT): StateFolder.missingParent(of: path).map { "make it: mkdir -p \($0)" }
    case .cannotWrite, .full: nil
    }
  }

  /// Returns the error of a system call that failed with `number` for `path`.
  static func system(_ what: String, _ path: String, _ number: Int32 = errno) -> StateError {
    StateError(.cannotWrite(number), FileError(what, path, number).message)
  }

  /// Returns a file of the state, by its path in the directory, that is not what it should be.
  static func damaged(_ file: String, _ why: String) -> StateError {
    StateError(.damaged(file: file), "the state is damaged: \(file): \(why)")
  }

  /// The same, as a shuffle that reads a segment has it.
  var shuffleError: ShuffleError {
    if case .cannotWrite(let number) = code { return ShuffleError(.sourceStorage(number), context) }
    return ShuffleError(.damagedSource, context)
  }

  /// The same, as an audit has it.
  package var auditError: AuditError {
    switch code {
    case .damaged, .tooNew, .missing, .notAState, .exposed, .noGeneration:
      AuditError(.damagedState, context)
    case .cannotWrite(let number): AuditError(.stateStorage(number), context)
    case .locked: AuditError(.stateStorage(EAGAIN), context)
    case .full: AuditError(.stateStorage(EOVERFLOW), context)
    }
  }
}

/// Calls `body`, and turns its error into an audit's.
func asAuditError<Value>(
  _ body: () throws(StateError) -> Value
) throws(AuditError) -> Value {
  do throws(StateError) { return try body() } catch { throw error.auditError }
}

/// Calls `body`, and turns its error into a state's.
func asStateError<Value>(
  _ body: () throws(FileError) -> Value
) throws(StateError) -> Value {
  do throws(FileError) { return try body() } catch {
    throw StateError(.cannotWrite(error.number), error.message)
  }
}

/// Times in messages.
enum TimeText {
  /// Returns a time as `2026-11-20T02:00:03Z`, from milliseconds since 1970.
  static func utc(_ milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1000)
    var parts = unsafe tm()
    guard unsafe gmtime_r(&seconds, &parts) != nil else { return "\(milliseconds)" }
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return unsafe "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
      + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
  }
}
