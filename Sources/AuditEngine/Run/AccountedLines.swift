internal import AuditLog
internal import Synchronization

/// The inputs that a run accounts for, while their lines are read: from any thread.
final class AccountedLines: Sendable {
  private let accounted: Mutex<ReadInputs>

  init(_ inputs: ReadInputs) {
    accounted = Mutex(inputs)
  }

  /// Takes the kinds of lines of the source of that number.
  func take(_ lines: ReadLines, of source: UInt32) {
    accounted.withLock { $0.take(lines, of: source) }
  }

  /// The inputs with all that was taken.
  var inputs: ReadInputs { accounted.withLock { $0 } }
}
