extension Range<Int> {
  /// Returns the first number for which `isBefore` is false, by binary search, or the upper bound.
  /// It has to hold for a beginning of the range.
  @inlinable package func searched(_ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
