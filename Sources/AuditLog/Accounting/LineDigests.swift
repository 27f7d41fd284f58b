internal import Basics
internal import OpenSSL

/// Digests of the lines of a content: what tells, line by line, what was read of a damaged copy.
///
/// A digest is the first 8 bytes of the SHA-256 of a line without its line end; that of a blank line
/// is 0. A line in which the stream was damaged is not judged, though all its bytes may have come: its digest is
/// that of no line.
struct LineDigests: ~Copyable {
  /// The most lines that are remembered of one content.
  static let limit = 1 << 22

  /// A closure that is told the digest of each line, its place, its line end included, and whether damage cut it.
  private let take: (UInt64, Range<UInt64>, Bool) -> Void
  private var hash = SHA256Stream()
  private var lineStart: UInt64 = 0
  private var byteCount: UInt64 = 0
  private var isBlank = true

  init(_ take: @escaping (_ digest: UInt64, Range<UInt64>, _ isCut: Bool) -> Void) {
    self.take = take
  }

  /// Takes the next bytes.
  mutating func take(_ bytes: UnsafeRawBufferPointer) {
    var from = 0
    for index in 0..<bytes.count {
      switch unsafe bytes[index] {
      case 0x0A:
        unsafe hash.update(UnsafeRawBufferPointer(rebasing: bytes[from..<index]))
        end(at: byteCount + UInt64(index) + 1)
        from = index + 1
      case 0x20, 0x09, 0x0D: continue
      default: isBlank = false
      }
    }
    unsafe hash.update(UnsafeRawBufferPointer(rebasing: bytes[from...]))
    byteCount += UInt64(bytes.count)
  }

  /// Takes damage, which cuts the line that is open.
  mutating func cut() {
    guard byteCount > lineStart else { return }
    // A line has no line end in it.
    unsafe withUnsafeBytes(of: UInt8(0x0A)) { unsafe hash.update($0) }
    end(at: byteCount, isCut: true)
  }

  /// Takes the end of the content: the line that is open ends here.
  mutating func finish() { end(at: byteCount) }

  private mutating func end(at offset: UInt64, isCut: Bool = false) {
    if offset > lineStart {
      let digest = isBlank && !isCut ? 0 : HeadDigests.mark(hash.digest())
      take(digest, lineStart..<offset, isCut)
      hash = SHA256Stream()
    }
    lineStart = offset
    isBlank = true
  }
}

/// The lines that were read of a damaged copy, as often as each was.
struct ReadLines {
  /// The lines in ascending order of digests, and of lines.
  private let entries: [(digest: UInt64, line: UInt64)]
  private let lines: DamagedLines
  private var used: [Bool]
  /// Those among them that have the same number in the other copy.
  private var isInPlace: [Bool]
  private(set) var found = 0
  /// The lines of the other copy so far, and without blank ones.
  private var number: UInt64 = 0
  private var taken = 0
  /// The digests of the first and the last line.
  private let ends: (first: UInt64?, last: UInt64?)
  /// The number of times that a line was found that comes before the one found before it.
  private var turns = 0
  private var lastLine: UInt64 = 0
  /// The lines of the other copy, without blank ones, since one was found.
  private var between = 0
  /// True where lines were left out, with none of the other copy in their place.
  private var hasGap = false
  /// The number of the last line that is not blank.
  private let end: UInt64
  private var first: UInt64?
  private var last: UInt64 = 0

  init(_ lines: DamagedLines) {
    self.lines = lines
    let digests = lines.digests
    entries = digests.enumerated().filter { $0.element != 0 }
      .map { (digest: $0.element, line: UInt64($0.offset) + 1) }
      .sorted { ($0.digest, $0.line) < ($1.digest, $1.line) }
    used = [Bool](repeating: false, count: entries.count)
    isInPlace = used
    ends = (digests.first { $0 != 0 }, digests.last { $0 != 0 })
    end = digests.lastIndex { $0 != 0 }.map { UInt64($0) + 1 } ?? 0
  }

  /// Returns whether the lines that were taken are another copy: most of the lines are among them,
  /// in their order, and one of the two ends is the same. Another input that shares lines is not a
  /// copy. But one bit of damage may garble most lines of a gzip member, the ends too: then it is enough that so
  /// many have the same number in both that no chance and no replay is why.
  ///
  /// - Parameters:
  ///   - isHere: Whether both were read from one path or file. Then nine of ten lines, all in their order, do
  ///     without the same ends: damage may have hit both, or the file has grown. Elsewhere most of the lines
  ///     that stand once have to be there: any two logs may have the same line again and again.
  ///   - isPart: Whether the other copy is damaged, too. Then most of what it has is enough.
  func areOfOneInput(isHere: Bool, isPart: Bool) -> Bool {
    guard found > 0 else { return false }
    let single = singles
    let singleCount = isPart ? min(taken, single.count) : single.count
    let areMany = single.inPlace >= Self.many && single.inPlace * 4 >= singleCount
    let areMost = isHere && single.inPlace >= Self.some && single.inPlace * 2 > singleCount
    if turns == 0, areMany || areMost { return true }
    guard isHere || single.found * 2 >= singleCount else { return false }
    if first == ends.first || last == ends.last {
      let count = isPart ? min(taken, entries.count) : entries.count
      return found * 2 >= count && turns * 10 <= found
    }
    return isHere && found * 10 >= entries.count * 9 && turns == 0
  }

  /// True where the other copy has lines, in their order up to the last, and others in the place of each that
  /// it has not: it is no shorter one.
  var haveOthersForAll: Bool { turns == 0 && !hasGap && lastLine == end }

  /// True where many lines were found, or nearly all that were taken: two hosts may log one request in the
  /// same words.
  var areManyOrNearlyAll: Bool { found >= Self.many || found * 4 >= taken * 3 }

  /// The least numbers of lines, each with the same number in both, that make a copy: at any two paths, and at
  /// one.
  private static let (many, some) = (8, 3)

  /// The number of lines that stand once, how many of these were found, and how many with the same number.
  private var singles: (count: Int, found: Int, inPlace: Int) {
    var result = (count: 0, found: 0, inPlace: 0)
    for index in entries.indices {
      let digest = entries[index].digest
      let isSingle =
        (index == 0 || entries[index - 1].digest != digest)
        && (index + 1 == entries.count || entries[index + 1].digest != digest)
      guard isSingle else { continue }
      result.count += 1
      if used[index] { result.found += 1 }
      if isInPlace[index] { result.inPlace += 1 }
    }
    return result
  }

  /// True where a line was not found that damage did not touch: what was looked through is not the whole copy.
  var missesProven: Bool {
    entries.indices.contains { !used[$0] && !lines.isDoubtful(entries[$0].line) }
  }

  /// The numbers of the lines that were not found, in ascending order: what damage made of others.
  var missing: [UInt64] {
    entries.indices.filter { !used[$0] }.map { entries[$0].line }.sorted()
  }

  /// Returns the line that was read, unless it was found before as often as it was; else nil.
  mutating func take(_ digest: UInt64) -> UInt64? {
    number += 1
    guard digest != 0 else { return nil }
    taken += 1
    first = first ?? digest
    last = digest
    var from = entries.indices.searched { entries[$0].digest < digest }
    while from < entries.count, entries[from].digest == digest {
      if !used[from] {
        used[from] = true
        isInPlace[from] = entries[from].line == number
        found += 1
        let line = entries[from].line
        if line < lastLine { turns += 1 }
        if line > lastLine + 1, between == 0 { hasGap = true }
        between = 0
        lastLine = line
        return line
      }
      from += 1
    }
    between += 1
    return nil
  }
}

/// The lines of a damaged input that a whole copy replaces.
package struct ReplacedInput: Sendable, Equatable {
  /// The number of its source among those of all runs.
  package var source: UInt32
  /// The numbers of its lines that stand no more, in ascending order: damage made them of others, which are
  /// read now, or they were read before.
  package var lines: [UInt64]
  /// The lines of the whole copy that the other lines are.
  package var moves = LineMoves()

  package init(source: UInt32, lines: [UInt64]) {
    self.source = source
    self.lines = lines
  }
}
