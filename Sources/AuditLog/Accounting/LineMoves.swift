internal import Basics

/// The lines of a whole copy that the lines of a damaged one are, where the numbers differ.
package struct LineMoves: Sendable, Equatable {
  /// Lines in a row that moved by as much.
  package struct Run: Sendable, Equatable {
    package var from: UInt64
    package var to: UInt64
    package var count: UInt64

    package init(from: UInt64, to: UInt64, count: UInt64) {
      self.from = from
      self.to = to
      self.count = count
    }
  }

  package private(set) var runs: [Run] = []

  package init() {}

  /// Makes moves of those that others had noted, in their order.
  package init(_ runs: [Run]) { self.runs = runs }

  /// Records that a line of the damaged copy is that one of the whole copy.
  package mutating func note(_ from: UInt64, is to: UInt64) {
    if let last = runs.last, last.from + last.count == from, last.to + last.count == to {
      runs[runs.count - 1].count += 1
    } else {
      runs.append(Run(from: from, to: to, count: 1))
    }
  }

  /// Puts the moves into order. To be called once all were noted.
  package mutating func finish() { runs.sort { $0.from < $1.from } }

  /// Returns the line of the whole copy that a line of the damaged one is; itself where none is.
  package func line(_ line: UInt64) -> UInt64 {
    let from = runs.indices.searched { runs[$0].from <= line }
    guard from > 0, line - runs[from - 1].from < runs[from - 1].count else { return line }
    return line &- runs[from - 1].from &+ runs[from - 1].to
  }
}
