/// The comparison of a file's lines with those that another input has.
struct ComparedLines {
  /// The lines of the other input, and which of them the file has.
  private(set) var lines: ReadLines
  /// The ranges of the file's content that the lines of both take, in ascending order.
  private(set) var passed: [Range<UInt64>] = []
  /// The numbers that the other input's lines have in the file.
  var moves = LineMoves()
  /// The lines of the other input that lie in front of `twice` in the file.
  private(set) var readTwice: [UInt64] = []
  /// The number of the file's lines.
  private(set) var count: UInt64 = 0

  /// Compares the lines of the file at a path, up to `limit`, with `known`.
  init(
    _ path: String, upTo limit: UInt64, with known: DamagedLines, twice: UInt64 = 0,
    _ scanner: ContentScanner
  ) throws {
    lines = ReadLines(known)
    var found = self
    try scanner.lines(path, upTo: limit) { digest, range, _ in
      found.take(digest, range, twice)
    }
    self = found
  }

  /// Takes the next line of the file.
  private mutating func take(_ digest: UInt64, _ range: Range<UInt64>, _ twice: UInt64) {
    count += 1
    guard let known = lines.take(digest) else { return }
    if range.upperBound <= twice { readTwice.append(known) }
    moves.note(known, is: count)
    if let last = passed.last, last.upperBound == range.lowerBound {
      passed[passed.count - 1] = last.lowerBound..<range.upperBound
    } else {
      passed.append(range)
    }
  }
}
