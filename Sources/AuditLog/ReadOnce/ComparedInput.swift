internal import Basics

/// One of the inputs that are compared line by line. Lines are counted from 0.
final class ComparedInput {
  let table: LineTable
  /// The file's name without its folder.
  let name: String
  /// Whether an earlier run read it.
  let isEarlier: Bool
  /// Lines that another input's lines replace.
  private(set) var superseded: LineRanges
  /// Lines that were read before.
  private(set) var passed = LineRanges()
  /// Doubtful lines that are equal to a sound line of a row that counts.
  private(set) var confirmed = LineRanges()
  /// The lines in the order of their contents, and of their numbers.
  private lazy var order: [UInt32] = (0..<UInt32(clamping: table.count)).sorted {
    let (left, right) = (table.digests[Int($0)].content, table.digests[Int($1)].content)
    return left == right ? $0 < $1 : left < right
  }

  init(_ table: LineTable, name: String, isEarlier: Bool, superseded: LineRanges = LineRanges()) {
    self.table = table
    self.name = name
    self.isEarlier = isEarlier
    self.superseded = superseded
  }

  var count: Int { table.count }
  var damage: LineDamage { table.damage }
  func content(_ line: Int) -> UInt64 { table.digests[line].content }
  func isDoubtful(_ line: Int) -> Bool {
    !damage.doubtful.isEmpty && damage.doubtful.contains(line)
  }

  /// Returns the lines with a content, in ascending order.
  func lines(with content: UInt64) -> some Sequence<Int> {
    let first = order.indices.searched { self.content(Int(order[$0])) < content }
    return order[first...].lazy.map { Int($0) }.prefix { self.content($0) == content }
  }

  func has(_ content: UInt64) -> Bool {
    let first = order.indices.searched { self.content(Int(order[$0])) < content }
    return first < order.count && self.content(Int(order[first])) == content
  }

  func supersede(_ lines: LineRanges) { superseded.formUnion(lines) }
  func confirm(_ lines: LineRanges) { confirmed.formUnion(lines) }
  func pass(_ lines: LineRanges) { passed.formUnion(lines) }
}

/// A longest sequence of lines that follow one another in both of two inputs (`records.R97`): line `first + k` of one is
/// equal to line `second + k` of the other.
struct CommonRow: Equatable {
  var first: Int
  var second: Int
  var count: Int

  var firstLines: Range<Int> { first..<(first + count) }
  var secondLines: Range<Int> { second..<(second + count) }
  /// Equal for rows between which neither input has more lines than the other.
  var diagonal: Int { first - second }

  static func < (left: CommonRow, right: CommonRow) -> Bool {
    (left.first, left.second) < (right.first, right.second)
  }

  func overlaps(_ other: CommonRow) -> Bool {
    firstLines.overlaps(other.firstLines) || secondLines.overlaps(other.secondLines)
  }
}
