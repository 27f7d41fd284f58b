package import AuditLog

/// The lines of earlier runs that this run, which only refers to a state, reads again: none of them is compared with
/// itself, while everything else that is remembered counts.
package struct RereadSources: Sendable {
  private let lines: RereadLines
  private let firstSource: UInt32

  /// Makes a list by which nothing is read again.
  package init() { self.init(RereadLines(), firstSource: 0) }

  /// `firstSource` is the number of this run's first source.
  package init(_ lines: RereadLines, firstSource: UInt32) {
    self.lines = lines
    self.firstSource = firstSource
  }

  var isEmpty: Bool { lines.isEmpty }

  /// Returns whether this run reads an event of an earlier one again.
  func hold(_ position: Position) -> Bool {
    !isEmpty && lines.contains(source: position.source, line: position.line)
  }

  /// Returns the earlier source that a line of this run was read from first, or nil.
  func source(of position: Position) -> UInt32? {
    guard !isEmpty, position.source >= firstSource else { return nil }
    return lines.source(ofIndex: Int(position.source - firstSource), line: position.line)
  }
}
