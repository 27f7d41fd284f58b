/// Events in order, still as rows of the shuffles: they are read where they are used, which may be
/// another thread.
package struct EventRows: Sendable {
  package let count: Int
  private let read: @Sendable ((VerdictRow) throws -> Void) throws -> Void

  /// Makes the rows of `count` events. `read` calls its argument with each of them.
  init(count: Int, read: @escaping @Sendable ((VerdictRow) throws -> Void) throws -> Void) {
    self.count = count
    self.read = read
  }

  /// Calls `body` with each of them.
  package func each(_ body: (VerdictRow) throws -> Void) throws { try read(body) }
}
