internal import Basics

/// One of the inputs that are compared line by line. Lines are counted from 0, without blank ones (`records.R2`).
final class ComparedInput {
  let table: LineTable
  /// The lines of the input that are compared, or nil if all are.
  private let filled: [Int]?
  /// The damaged places, with the input's own lines.
  let places: [LineDamage.Place]
  /// The file's name without its folder.
  let name: String
  let isEarlier: Bool
  /// Lines that other inputs' lines replaced in earlier runs.
  let superseded: LineRanges
  /// Lines that were read in an input whose table is gone.
  let begun: LineRanges
  private lazy var order: [UInt32] = (0..<UInt32(clamping: table.count)).sorted {
    let (left, right) = (table.digests[Int($0)].content, table.digests[Int($1)].content)
    return left == right ? $0 < $1 : left < right
  }

  init(
    _ table: LineTable, name: String, isEarlier: Bool, superseded: LineRanges = LineRanges(),
    begun: LineRanges = LineRanges()
  ) {
    let compared = table.filled()
    self.table = compared?.table ?? table
    filled = compared?.lines
    places = table.damage.places
    self.name = name
    self.isEarlier = isEarlier
    self.superseded = compared.map { superseded.renumbered($0.lines) } ?? superseded
    self.begun = compared.map { begun.renumbered($0.lines) } ?? begun
  }

  /// Returns the input's own number of a line.
  func own(_ line: Int) -> Int { filled?[line] ?? line }

  func own(_ lines: LineRanges) -> LineRanges {
    guard filled != nil else { return lines }
    return LineRanges(lines: lines.lines.map(own))
  }

  /// Returns a row by the own numbers of both inputs: several rows if one of them has blank lines in it.
  func own(_ row: CommonRow, with second: ComparedInput) -> [CommonRow] {
    guard filled != nil || second.filled != nil else { return [row] }
    var rows: [CommonRow] = []
    for (line, other) in zip(row.firstLines, row.secondLines) {
      let next = CommonRow(first: own(line), second: second.own(other), count: 1)
      if let last = rows.last, last.diagonal == next.diagonal, last.first + last.count == next.first
      {
        rows[rows.count - 1].count += 1
      } else {
        rows.append(next)
      }
    }
    return rows
  }

  var count: Int { table.count }
  var damage: LineDamage { table.damage }
  func content(_ line: Int) -> UInt64 { table.digests[line].content }
  func isDoubtful(_ line: Int) -> Bool {
    !damage.doubtful.isEmpty && damage.doubtful.contains(line)
  }

  func lines(with content: UInt64) -> some Sequence<Int> {
    let first = order.indices.searched { self.content(Int(order[$0])) < content }
    return order[first...].lazy.map { Int($0) }.prefix { self.content($0) == content }
  }

  func has(_ content: UInt64) -> Bool { lines(with: content).contains { _ in true } }
}

/// A row (`records.R97`): line `first + k` of one input is equal to line `second + k` of the other.
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
