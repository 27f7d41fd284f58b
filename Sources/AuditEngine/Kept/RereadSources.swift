package import AuditLog

/// The inputs of earlier runs that this run, which refers to a state, reads again: none of it is
/// compared with itself, while everything else that is remembered counts.
package struct RereadSources: Sendable {
  /// The numbers of the sources of earlier runs.
  private let numbers: Set<UInt32>
  /// The parts of what a source's content holds from its front on, the shortest first, by the
  /// number of this run's source.
  private let parts: [UInt32: [RecognisedSources.Part]]

  /// Makes a list by which nothing is read again.
  package init() {
    numbers = []
    parts = [:]
  }

  /// Makes the list of what was recognised. `firstSource` is the number of this run's first source.
  package init(_ recognised: RecognisedSources, firstSource: UInt32) {
    numbers = recognised.numbers
    parts = Dictionary(
      uniqueKeysWithValues: recognised.parts.map { (firstSource &+ UInt32($0), $1) })
  }

  var isEmpty: Bool { numbers.isEmpty }

  /// Returns whether this run reads an event of an earlier one again.
  func hold(_ position: Position) -> Bool { !isEmpty && numbers.contains(position.source) }

  /// Returns the source of an earlier run that a line of this run was read from first, or nil if
  /// the line is new.
  func source(of position: Position) -> UInt32? {
    guard let parts = parts[position.source] else { return nil }
    return parts.first { position.line <= $0.lines }?.source
  }
}
