/// A range of the keys of rows, by their first bits: those that one reducer takes at a time.
package struct RowRange: Sendable, Equatable {
  /// The bits of a key that say which part of all keys it is in.
  private static let bits = 6
  static let parts = 1 << bits
  package static let all = RowRange(0..<parts)
  package static let none = RowRange(0..<0)

  let parts: Range<Int>

  init(_ parts: Range<Int>) {
    self.parts = parts
  }

  @inline(__always)
  static func part(of row: UnsafeRawBufferPointer) -> Int {
    unsafe Int(row[0] >> (8 - bits))
  }

  /// Returns a range for each part that has rows, in their order; `sizes` are the bytes that the parts
  /// have. Where there are no rows at all, all keys are one range.
  static func ranges(_ sizes: [Int]) -> [RowRange] {
    var ranges: [RowRange] = []
    var start = 0
    for (part, size) in sizes.enumerated() where size > 0 {
      ranges.append(RowRange(start..<(part + 1)))
      start = part + 1
    }
    return ranges.isEmpty ? [.all] : ranges
  }
}

/// The places of the rows of each part of all keys in a sorted run.
struct RowCuts: Sendable {
  /// The offset of the first row of each part so far, and of an ended run its end behind them.
  private var starts: [Int] = []

  init() {
    starts.reserveCapacity(RowRange.parts + 1)
  }

  /// Takes the next row of the run, and its place.
  @inline(__always)
  mutating func add(_ row: UnsafeRawBufferPointer, at offset: Int) {
    let part = unsafe RowRange.part(of: row)
    if part >= starts.count { pass(part + 1, at: offset) }
  }

  mutating func end(at offset: Int) { pass(RowRange.parts + 1, at: offset) }

  private mutating func pass(_ count: Int, at offset: Int) {
    starts.append(contentsOf: repeatElement(offset, count: count - starts.count))
  }

  /// Returns where the rows of a range lie.
  func bytes(of range: RowRange) -> Range<Int> {
    starts[range.parts.lowerBound]..<starts[range.parts.upperBound]
  }

  var end: Int { starts[RowRange.parts] }
}
