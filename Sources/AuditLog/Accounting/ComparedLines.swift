/// The comparison of a file's lines with those that another input has.
struct ComparedLines {
  /// The lines of the other input, and which of them the file has.
  private(set) var lines: ReadLines
  /// The ranges of the file's content that the lines of both take, in ascending order.
  private(set) var passed: [Range<UInt64>] = []
  /// The numbers that the other input's lines have in the file.
  var moves = LineMoves()
  /// The lines of the other input that lie in one of the ranges `twice` of the file.
  private(set) var readTwice: [UInt64] = []
  /// The number of the file's lines.
  private(set) var count: UInt64 = 0

  /// Compares the lines of the file at a path, up to `limit`, with `known`.
  init(
    _ path: String, upTo limit: UInt64, with known: DamagedLines, twice: [Range<UInt64>] = [],
    _ scanner: ContentScanner
  ) throws {
    lines = ReadLines(known)
    var found = self
    var twice = twice[...]
    try scanner.lines(path, upTo: limit) { digest, range, _ in
      while let first = twice.first, first.upperBound < range.upperBound { twice.removeFirst() }
      let isTwice = twice.first.map { $0.lowerBound <= range.lowerBound } ?? false
      found.take(digest, range, isTwice: isTwice)
    }
    self = found
  }

  /// Takes the next line of the file.
  private mutating func take(_ digest: UInt64, _ range: Range<UInt64>, isTwice: Bool) {
    count += 1
    guard let known = lines.take(digest) else { return }
    if isTwice { readTwice.append(known) }
    moves.note(known, is: count)
    if let last = passed.last, last.upperBound == range.lowerBound {
      passed[passed.count - 1] = last.lowerBound..<range.upperBound
    } else {
      passed.append(range)
    }
  }
}
