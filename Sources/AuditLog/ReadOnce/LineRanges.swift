internal import Basics

/// A set of lines of an input, counted from 0, as ascending ranges none of which touches the next.
package struct LineRanges: Sendable, Equatable {
  package private(set) var ranges: [Range<Int>] = []

  package init() {}

  package init(_ ranges: [Range<Int>]) {
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { append(range) }
  }

  package init(lines: some Sequence<Int>) { self.init(lines.map { $0..<($0 + 1) }) }

  /// Makes the set from the bounds of its ranges, or gives nil if they are not ascending.
  package init?(bounds: [UInt64]) {
    guard bounds.count.isMultiple(of: 2) else { return nil }
    for index in stride(from: 0, to: bounds.count, by: 2) {
      guard let low = Int(exactly: bounds[index]), let high = Int(exactly: bounds[index + 1]),
        low < high, low > ranges.last?.upperBound ?? -1
      else { return nil }
      append(low..<high)
    }
  }

  package var bounds: [UInt64] {
    ranges.flatMap { [UInt64($0.lowerBound), UInt64($0.upperBound)] }
  }

  package var lines: some Sequence<Int> { ranges.lazy.joined() }
  package var isEmpty: Bool { ranges.isEmpty }
  package var count: Int { ranges.reduce(0) { $0 + $1.count } }

  /// Adds lines, none of which is before the last range's first.
  mutating func append(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    guard let last = ranges.last, range.lowerBound <= last.upperBound else {
      return ranges.append(range)
    }
    ranges[ranges.count - 1] =
      min(last.lowerBound, range.lowerBound)..<max(last.upperBound, range.upperBound)
  }

  /// Adds the lines of a set that counts them from line `first` on.
  mutating func append(_ other: LineRanges, from first: Int) {
    for range in other.ranges { append(range.lowerBound + first..<range.upperBound + first) }
  }

  package mutating func formUnion(_ other: LineRanges) {
    guard !other.isEmpty else { return }
    self = LineRanges(ranges + other.ranges)
  }

  /// Returns the first range that ends after a line.
  private func first(after line: Int) -> Range<Int>? {
    let next = ranges.indices.searched { ranges[$0].upperBound <= line }
    return next < ranges.count ? ranges[next] : nil
  }

  package func contains(_ line: Int) -> Bool { first(after: line)?.contains(line) ?? false }

  func lines(in range: Range<Int>) -> some Sequence<Int> {
    ranges.lazy.map { $0.clamped(to: range) }.joined()
  }

  func filter(_ isMeant: (Int) -> Bool) -> LineRanges { LineRanges(lines: lines.filter(isMeant)) }

  /// Returns the set by the new numbers of the lines that an input keeps, which are those at the indices.
  func renumbered(_ kept: [Int]) -> LineRanges {
    LineRanges(lines: kept.indices.filter { contains(kept[$0]) })
  }

  func intersects(_ range: Range<Int>) -> Bool {
    first(after: range.lowerBound)?.overlaps(range) ?? false
  }

  func covers(_ range: Range<Int>) -> Bool {
    guard !range.isEmpty, let found = first(after: range.lowerBound) else { return range.isEmpty }
    return found.lowerBound <= range.lowerBound && range.upperBound <= found.upperBound
  }
}
