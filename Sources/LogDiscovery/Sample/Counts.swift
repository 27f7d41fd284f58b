extension Sequence where Element == SampleLine {
  /// Returns the number of lines that have a value of some sort, by its pointer.
  func counts(where isCounted: (SampleValue) -> Bool) -> [Int: Int] {
    var counts: [Int: Int] = [:]
    for line in self {
      for value in line.values where isCounted(value) { counts[value.pointer, default: 0] += 1 }
    }
    return counts
  }
}

extension [Int: Int] {
  /// The pointer with the highest count, the first of several.
  var most: (pointer: Int, count: Int)? {
    self.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { ($0.key, $0.value) }
  }
}
