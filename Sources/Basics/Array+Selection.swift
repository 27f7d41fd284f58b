extension Array {
  /// Moves the first `count` elements by `precedes` to the front, in any order: quickselect (Hoare,
  /// "Algorithm 65: Find", 1961), in linear time, or a sort of what does not get shorter.
  @inlinable package mutating func moveFirst(
    _ count: Int, by precedes: (Element, Element) -> Bool
  ) {
    guard count > 0, count < self.count else { return }
    var open = 0..<self.count
    var steps = 4 * (Int.bitWidth - self.count.leadingZeroBitCount)
    while open.count > 1 {
      guard steps > 0 else {
        self[open].sort(by: precedes)
        return
      }
      steps -= 1
      let (left, right) = split(open, by: precedes)
      if count <= left {
        open = open.lowerBound..<left
      } else if count >= right {
        open = right..<open.upperBound
      } else {
        return
      }
    }
  }

  /// Divides a range at its middle element. Returns the places after the first and before the last
  /// part, which are both shorter.
  @inlinable mutating func split(
    _ range: Range<Int>, by precedes: (Element, Element) -> Bool
  ) -> (left: Int, right: Int) {
    let pivot = self[range.lowerBound + range.count / 2]
    var (low, high) = (range.lowerBound, range.upperBound - 1)
    while low <= high {
      while precedes(self[low], pivot) { low += 1 }
      while precedes(pivot, self[high]) { high -= 1 }
      guard low <= high else { break }
      swapAt(low, high)
      low += 1
      high -= 1
    }
    return (high + 1, low)
  }
}
