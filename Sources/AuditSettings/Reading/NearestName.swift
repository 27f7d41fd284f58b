/// The search for the name that a user meant.
package enum NearestName {
  /// Returns the one of `names` that is closest to `name`, or nil if none is close.
  package static func of(_ name: String, among names: [String]) -> String? {
    let typed = Array(name.lowercased().utf8.prefix(64))
    var best: (name: String, distance: Int)?
    for candidate in names {
      let distance = distance(typed, Array(candidate.lowercased().utf8))
      if distance < best?.distance ?? Int.max { best = (candidate, distance) }
    }
    guard let best, best.distance <= max(2, typed.count / 3) else { return nil }
    return best.name
  }

  /// Returns the number of insertions, deletions, replacements and swaps of neighbours between two
  /// texts.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1..<(left.count + 1) {
      var current = [row]
      for column in 1..<(right.count + 1) {
        let change = left[row - 1] == right[column - 1] ? 0 : 1
        var cost = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + change)
        if row > 1, column > 1, left[row - 1] == right[column - 2],
          left[row - 2] == right[column - 1]
        {
          cost = min(cost, beforeLast[column - 2] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
