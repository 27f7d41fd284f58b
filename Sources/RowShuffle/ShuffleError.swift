package import Files

/// The reason for which rows could not be shuffled.
package struct ShuffleError: Error, Equatable {
  /// The kind of error.
  package enum Code: Sendable, Equatable {
    /// The folder for spilled runs cannot be written or read; the number is `errno`.
    case storage(Int32)
    /// A run that is read from elsewhere cannot be read; the number is `errno`.
    case sourceStorage(Int32)
    /// A run that is read from elsewhere is not what was written.
    case damagedSource
    /// A stream of rows from or to another process broke off, or holds what no stage writes.
    case brokenStream
    /// The system has no address space left for a buffer.
    case memory
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

  /// The error of a buffer that holds no row.
  static let noMemory = ShuffleError(.memory, "there is no memory for a buffer of rows")

  /// Makes the error of a spill file.
  package init(_ error: FileError) {
    self.init(.storage(error.number), error.message)
  }
}
