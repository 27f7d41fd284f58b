/// How expected lines, with gaps, differ from the lines that were printed.
struct LineComparison {
  /// The line that stands for any number of lines.
  static let gap = "…"

  /// The expected lines, those that are missing after `-`, and those that are not expected after `+`.
  let difference: [String]

  /// Whether every line is as expected.
  let isEqual: Bool

  /// The cheapest alignment of both: a line too many and a line too few cost one each.
  init(expected: [String], actual: [String]) {
    let (rows, columns) = (expected.count, actual.count)
    // costs[row][column]: of the expected lines from `row` on against the actual ones from `column` on.
    var costs = Array(repeating: Array(repeating: 0, count: columns + 1), count: rows + 1)
    for row in stride(from: rows, through: 0, by: -1) {
      for column in stride(from: columns, through: 0, by: -1) where row < rows || column < columns {
        var cost = Int.max
        if row < rows, expected[row] == Self.gap { cost = costs[row + 1][column] }
        if row < rows, expected[row] != Self.gap { cost = min(cost, costs[row + 1][column] + 1) }
        if column < columns {
          let isInGap = row < rows && expected[row] == Self.gap
          cost = min(cost, costs[row][column + 1] + (isInGap ? 0 : 1))
        }
        if row < rows, column < columns, expected[row] == actual[column] {
          cost = min(cost, costs[row + 1][column + 1])
        }
        costs[row][column] = cost
      }
    }
    isEqual = costs[0][0] == 0
    var difference: [String] = []
    var (row, column) = (0, 0)
    while row < rows || column < columns {
      let cost = costs[row][column]
      if row < rows, column < columns, expected[row] == actual[column],
        costs[row + 1][column + 1] == cost
      {
        difference.append("  \(expected[row])")
        (row, column) = (row + 1, column + 1)
      } else if row < rows, expected[row] == Self.gap {
        if costs[row + 1][column] == cost {
          difference.append("  \(Self.gap)")
          row += 1
        } else {
          column += 1
        }
      } else if row < rows, costs[row + 1][column] == cost - 1 {
        difference.append("- \(expected[row])")
        row += 1
      } else {
        difference.append("+ \(actual[column])")
        column += 1
      }
    }
    self.difference = difference
  }
}
