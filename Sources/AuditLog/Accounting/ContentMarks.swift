/// Marks of a content, from its front on: they tell that a shorter one is a part of it, when it cannot be read
/// again.
///
/// A mark is that of the SHA-256 of all bytes up to it (``HeadDigests/mark(_:)``). The first stands behind the
/// longest head, and each a sixteenth further from the front than the one before: some 90 for a megabyte, 200 for
/// a gigabyte.
struct ContentMarks {
  private static let first = UInt64(AccountedInput.headBytes + AccountedInput.headBytes / 16)

  /// The marks so far.
  private(set) var marks: [UInt64] = []
  /// The offset of the next mark.
  private(set) var next = Self.first

  /// Adds the next mark: the SHA-256 of the bytes up to there.
  mutating func add(_ digest: [UInt8]) {
    marks.append(HeadDigests.mark(digest))
    next += next / 16
  }

  /// Returns the marks within the first `bytes`.
  func marks(upTo bytes: UInt64) -> [UInt64] {
    var count = 0
    var place = Self.first
    while place <= bytes, count < marks.count {
      count += 1
      place += place / 16
    }
    return Array(marks.prefix(count))
  }

  /// Returns whether all marks are those of a longer content.
  func areAll(among others: [UInt64]) -> Bool { others.starts(with: marks) }
}
