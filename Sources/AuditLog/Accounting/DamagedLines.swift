internal import Basics

/// The lines that were read of a damaged content; where there is none, what else tells it.
struct DamagedLines: Equatable {
  /// The digest of each (``LineDigests``), in their order.
  private(set) var digests: [UInt64] = []
  /// The numbers of those that damage may have made of others, in ascending order. The others were proven by
  /// the stream: the whole copy has them.
  private(set) var doubtful: [ClosedRange<UInt64>] = []
  /// The front of the file, where damage left no line.
  var front: FileFront?
  /// True where the digests say which kinds the lines are of (``LineDigests/kind(_:)``): those that earlier
  /// versions kept do not.
  private(set) var tellKinds = true

  init() {}

  /// Adds the next line.
  mutating func add(_ digest: UInt64, isDoubtful: Bool) {
    digests.append(digest)
    guard isDoubtful else { return }
    let line = UInt64(digests.count)
    if let last = doubtful.last, last.upperBound + 1 == line {
      doubtful[doubtful.count - 1] = last.lowerBound...line
    } else {
      doubtful.append(line...line)
    }
  }

  /// Returns whether damage may have made a line of another.
  func isDoubtful(_ line: UInt64) -> Bool {
    let at = doubtful.indices.searched { doubtful[$0].upperBound < line }
    return at < doubtful.count && doubtful[at].contains(line)
  }

  // MARK: As a ledger keeps them

  /// The mark that stands behind digests that have the numbers of doubtful lines behind them.
  private static let mark: UInt64 = 0x6464_6D61_6765_6404

  /// The marks of earlier versions, whose digests do not tell kinds.
  private static let earlierMarks: [UInt64] = [0x6464_6D61_6765_6401, 0x6464_6D61_6765_6403]

  /// The mark that stands behind the front of a file.
  private static let frontMark: UInt64 = 0x6464_6D61_6765_6602

  /// The digests; the first and the last number of each range of doubtful lines; how many ranges there are;
  /// and a mark. Behind them the digests of the file's front, how many there are, its bytes, and another mark.
  var kept: [UInt64] {
    let ranges = doubtful.flatMap { [$0.lowerBound, $0.upperBound] }
    let lines = digests.isEmpty ? [] : digests + ranges + [UInt64(doubtful.count), Self.mark]
    guard let front else { return lines }
    return lines + front.digests
      + [UInt64(front.digests.count), UInt64(front.byteCount), Self.frontMark]
  }

  /// Reads what ``kept`` gave. Earlier versions kept nothing but digests: every line is doubtful
  /// then.
  init(kept: [UInt64]) {
    var kept = kept
    if kept.last == Self.frontMark, kept.count >= 3, kept[kept.count - 3] <= UInt64(kept.count - 3)
    {
      let end = kept.count - 3
      let start = end - Int(kept[end])
      front = FileFront(byteCount: kept[end + 1], digests: Array(kept[start..<end]))
      if front != nil { kept.removeLast(kept.count - start) }
    }
    digests = kept
    doubtful = kept.isEmpty ? [] : [1...UInt64(kept.count)]
    tellKinds = kept.isEmpty || kept.last == Self.mark
    guard let mark = kept.last, mark == Self.mark || Self.earlierMarks.contains(mark),
      let count = kept.dropLast().last, count <= UInt64(kept.count - 2) / 2
    else { return }
    let front = kept.count - 2 - 2 * Int(count)
    var ranges: [ClosedRange<UInt64>] = []
    for start in stride(from: front, to: kept.count - 2, by: 2) {
      guard kept[start] <= kept[start + 1], ranges.last.map({ $0.upperBound < kept[start] }) ?? true
      else { return }
      ranges.append(kept[start]...kept[start + 1])
    }
    digests.removeLast(kept.count - front)
    doubtful = ranges
  }
}
