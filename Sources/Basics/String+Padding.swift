extension String {
  /// Returns the text and spaces up to the width, in characters; at least `least` of them.
  package func padded(to width: Int, least: Int = 0) -> String {
    self + String(repeating: " ", count: Swift.max(least, width - count))
  }

  /// Returns the text behind zeros up to the width, in bytes.
  package func zeroPadded(to width: Int) -> String {
    String(repeating: "0", count: Swift.max(0, width - utf8.count)) + self
  }
}
