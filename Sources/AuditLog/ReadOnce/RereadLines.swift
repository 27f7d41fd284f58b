/// The lines of earlier runs' inputs that a run reads again. Lines are counted from 1.
package struct RereadLines: Sendable, Equatable {
  struct Part: Sendable, Equatable {
    /// The number of the earlier run's source, and its first line.
    var source: UInt32
    var line: UInt64
    /// The index of this run's source, and its first line.
    var index: Int
    var here: UInt64
    var count: UInt64
  }

  private var bySource: [UInt32: [Part]] = [:]
  private var byIndex: [Int: [Part]] = [:]

  package init() {}

  mutating func add(_ part: Part) {
    bySource[part.source, default: []].append(part)
    byIndex[part.index, default: []].append(part)
  }

  package var isEmpty: Bool { bySource.isEmpty }

  package func contains(source: UInt32, line: UInt64) -> Bool {
    bySource[source]?.contains { line >= $0.line && line - $0.line < $0.count } ?? false
  }

  /// Returns the earliest source in which an earlier run read a line of this run's source, or nil if the line is new.
  package func source(ofIndex index: Int, line: UInt64) -> UInt32? {
    byIndex[index]?.lazy.filter { line >= $0.here && line - $0.here < $0.count }.map(\.source).min()
  }
}
