internal import Basics

/// The lines and places of a damaged input that the other one of a pair explains.
extension InputPair {
  /// Returns the first input's doubtful lines, except `confirmed` ones, that are superseded (`records.R101`).
  func superseded(besides confirmed: LineRanges) -> LineRanges {
    guard let head = counting.first, let last = counting.last, !first.damage.doubtful.isEmpty else {
      return LineRanges()
    }
    var found: [Int] = []
    func replace(_ lines: Range<Int>, by others: Range<Int>, _ isMeant: (Int) -> Bool) {
      guard !lines.isEmpty, first.damage.whole(lines) <= others.count,
        !second.damage.touches(others)
      else { return }
      found += first.damage.doubtful.lines(in: lines)
        .filter { !confirmed.contains($0) && isMeant($0) }
    }
    for (left, right) in zip(counting, counting.dropFirst())
    where right.second >= left.secondLines.upperBound && isDamageOnly(between: left, right) {
      let gap = Self.gap(left, right)
      replace(gap.first, by: gap.second) { _ in true }
    }
    // Before the first row and after the last one the place might be another one.
    let areNamesakes = first.name == second.name
    let isMeant = { (line: Int) in areNamesakes || !first.table.digests[line].isObject }
    replace(0..<head.first, by: 0..<head.second, isMeant)
    let (end, otherEnd) = (last.firstLines.upperBound, last.secondLines.upperBound)
    // An object that another record follows in its line is no part of one: it stays (`detection.R26`).
    let isJoined =
      end < first.count && begins(end) && first.table.digests[end].isObject
      && !second.table.digests[otherEnd].isObject
    if !isJoined { replace(end..<first.count, by: otherEnd..<second.count, isMeant) }
    if end < first.count, first.damage.cut.contains(end), otherEnd < second.count,
      !second.isDoubtful(otherEnd), !second.damage.isLost(before: otherEnd)
    {
      // The line that damage cut where the other input goes on.
      found.append(end)
    }
    return LineRanges(lines: found)
  }

  /// Returns whether a line can be part of a divided line: not an object, and not in the second input.
  func isPart(_ line: Int) -> Bool {
    !first.table.digests[line].isObject && !second.has(first.content(line))
  }

  /// Returns whether the second input repairs a damaged place of the first one (`records.R102`).
  func repairs(_ place: LineDamage.Place) -> Bool {
    let line = place.line
    if let row = counting.first(where: { $0.first < line && line < $0.firstLines.upperBound }) {
      return !second.damage.touches(line - row.diagonal..<line - row.diagonal)
    }
    let left = counting.last { $0.firstLines.upperBound <= line }
    let right = counting.first { $0.first >= line }
    let low = left?.firstLines.upperBound ?? 0
    let high = right?.first ?? first.count
    guard left != nil || right != nil, low <= line, line <= high,
      first.damage.doubtful.covers(low..<high)
    else { return false }
    let otherLow = left?.secondLines.upperBound ?? 0
    let otherHigh = right?.second ?? second.count
    guard otherLow <= otherHigh else { return false }
    if left != nil, right != nil { return !second.damage.touches(otherLow..<otherHigh) }
    // The damage is at an end of the input. If bytes are missing, they are confirmed only if the other one goes on.
    let (beside, next) = left == nil ? (otherHigh, otherHigh - 1) : (otherLow, otherLow)
    let goesOn = (0..<second.count).contains(next)
    return !second.damage.isLost(before: beside)
      && (goesOn ? !second.isDoubtful(next) : !first.damage.isLost(before: line))
  }
}
