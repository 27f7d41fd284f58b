internal import Glibc

/// The reason for which the system refused something that was to be done with a file or folder.
package struct FileError: Error, Equatable, Sendable {
  /// The words before the path: `cannot read`.
  package var action: String
  /// The path as the user knows it.
  package var path: String
  /// The system's error number.
  package var number: Int32

  package init(_ action: String, _ path: String, _ number: Int32) {
    self.action = action
    self.path = path
    self.number = number
  }

  /// Makes the error of the system call that failed last on this thread.
  static func last(_ action: String, _ path: String) -> FileError {
    FileError(action, path, errno)
  }

  /// One line for people, without a full stop: `cannot read a: permission denied`.
  package var message: String { "\(action) \(path): \(ErrorText.describe(number))" }

  /// Returns the same error told of another action and path.
  package func told(_ action: String, _ path: String) -> FileError {
    FileError(action, path, number)
  }

  /// Whether nothing has the name that was asked for.
  package var isMissing: Bool { number == ENOENT }

  /// Whether something has the name that was to be given.
  package var isTaken: Bool { number == EEXIST }
}
