/// Events in order, still as rows of the shuffles: they are read where they are used, which may be
/// another thread.
package struct EventRows: Sendable {
  package let count: Int
  /// The bytes of their long texts together, which are fetched as the events are read.
  package let longTextBytes: UInt64
  private let read: @Sendable ((VerdictRow) throws -> Void) throws -> Void

  /// Makes the rows of `count` events. `read` calls its argument with each of them.
  init(
    count: Int, longTextBytes: UInt64,
    read: @escaping @Sendable ((VerdictRow) throws -> Void) throws -> Void
  ) {
    self.count = count
    self.longTextBytes = longTextBytes
    self.read = read
  }

  /// Calls `body` with each of them.
  package func each(_ body: (VerdictRow) throws -> Void) throws { try read(body) }
}
