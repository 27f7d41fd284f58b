internal import Basics
internal import Glibc
internal import OpenSSL

/// Digests of the lines of a content: what tells, line by line, what was read of a damaged copy.
///
/// A digest is the first 8 bytes of the SHA-256 of a line without its line end, but for the lowest bit, which is 1
/// where the line holds a token (``TokenSearch``), or is too long to be looked through; that of a blank line is 0. A
/// line in which the stream was damaged is not judged, though all its bytes may have come: its digest is that of no
/// line.
struct LineDigests: ~Copyable {
  /// The most lines that are remembered of one content.
  static let limit = 1 << 22

  /// A closure that is told the digest of each line, its place, its line end included, and whether damage cut it.
  private let take: (UInt64, Range<UInt64>, Bool) -> Void
  private var hash = SHA256Stream()
  private var lineStart: UInt64 = 0
  private var byteCount: UInt64 = 0
  private var isBlank = true
  /// The search for tokens, and the line that is open, as far as it is looked through.
  private let search: TokenSearch
  private var line = ByteBuffer()

  /// The longest line that is looked through for tokens.
  private static let longestLine = 4 << 20
  private static let tokenBit: UInt64 = 1

  /// Returns whether a line with this digest holds a token, as far as it was looked through.
  static func holdsToken(_ digest: UInt64) -> Bool { digest & tokenBit != 0 }

  /// Returns a digest without what it tells of tokens, as earlier versions kept it but for its lowest bit.
  static func plain(_ digest: UInt64) -> UInt64 { digest & ~tokenBit }

  init(
    search: TokenSearch,
    _ take: @escaping (_ digest: UInt64, Range<UInt64>, _ isCut: Bool) -> Void
  ) {
    self.search = search
    self.take = take
  }

  /// Takes the next bytes.
  mutating func take(_ bytes: UnsafeRawBufferPointer) {
    var from = 0
    while from < bytes.count, let base = bytes.baseAddress,
      let found = unsafe memchr(base + from, 0x0A, bytes.count - from)
    {
      let end = unsafe UnsafeRawPointer(found) - base
      unsafe add(UnsafeRawBufferPointer(rebasing: bytes[from..<end]))
      self.end(at: byteCount + UInt64(end) + 1)
      from = end + 1
    }
    unsafe add(UnsafeRawBufferPointer(rebasing: bytes[from...]))
    byteCount += UInt64(bytes.count)
  }

  /// Adds bytes of the line that is open.
  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    unsafe hash.update(bytes)
    if isBlank { isBlank = unsafe bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }
    let room = max(0, Self.longestLine + 1 - line.count)
    unsafe line.append(copying: UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
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
      let plain = isBlank && !isCut ? 0 : Self.plain(HeadDigests.mark(hash.digest()))
      let digest = plain != 0 && holdsToken() ? plain | Self.tokenBit : plain
      take(digest, lineStart..<offset, isCut)
      hash = SHA256Stream()
    }
    lineStart = offset
    isBlank = true
    line.removeAll()
  }

  private mutating func holdsToken() -> Bool {
    guard line.count <= Self.longestLine else { return true }
    line.reserve(LineBatch.padding)
    return unsafe line.withHeldBytes { unsafe search.holdsToken($0) }
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
  /// The lines of the other copy so far.
  private var number: UInt64 = 0
  /// What is compared of both copies: all lines, and those that hold a token.
  private var all = Part()
  private var telling = Part()
  /// The number of times that a line was found that comes before the one found before it.
  private var turns = 0
  private var lastLine: UInt64 = 0
  /// The lines of the other copy, without blank ones, since one was found.
  private var between = 0
  /// True where lines were left out, with none of the other copy in their place.
  private var hasGap = false
  /// The number of the last line that is not blank.
  private let end: UInt64

  /// Lines of both copies: how many there are of each, and the digests of the first and the last.
  private struct Part {
    var count = 0
    var taken = 0
    var ends: (first: UInt64?, last: UInt64?)
    var otherEnds: (first: UInt64?, last: UInt64?)

    mutating func add(_ digest: UInt64) {
      count += 1
      ends = (ends.first ?? digest, digest)
    }

    mutating func take(_ digest: UInt64) {
      taken += 1
      otherEnds = (otherEnds.first ?? digest, digest)
    }

    /// True where both begin or end with the same line.
    var hasSameEnd: Bool { ends.first == otherEnds.first || ends.last == otherEnds.last }
  }

  init(_ lines: DamagedLines) {
    self.lines = lines
    let digests = lines.tellTokens ? lines.digests : lines.digests.map(LineDigests.plain)
    entries = digests.enumerated().filter { $0.element != 0 }
      .map { (digest: $0.element, line: UInt64($0.offset) + 1) }
      .sorted { ($0.digest, $0.line) < ($1.digest, $1.line) }
    used = [Bool](repeating: false, count: entries.count)
    isInPlace = used
    end = digests.lastIndex { $0 != 0 }.map { UInt64($0) + 1 } ?? 0
    for digest in digests where digest != 0 {
      all.add(digest)
      if LineDigests.holdsToken(digest) { telling.add(digest) }
    }
  }

  /// Returns whether the lines that were taken are another copy: most of the lines are among them,
  /// in their order, and one of the two ends is the same. Another input that shares lines is not a
  /// copy. But one bit of damage may garble most lines of a gzip member, the ends too: then it is enough that so
  /// many have the same number in both that no chance and no replay is why.
  ///
  /// Any two logs of a server may have lines in common that are always the same. Where some lines hold
  /// tokens, those count, and no others: a device makes each token once.
  ///
  /// - Parameters:
  ///   - isHere: Whether both were read from one path or file. Then nine of ten lines, all in their order, do
  ///     without the same ends: damage may have hit both, or the file has grown. Elsewhere most of the lines
  ///     that stand once have to be there: any two logs may have the same line again and again.
  ///   - isPart: Whether the other copy is damaged, too. Then most of what it has is enough.
  func areOfOneInput(isHere: Bool, isPart: Bool) -> Bool {
    guard found > 0 else { return false }
    let hasTokens = telling.count > 0
    func least(_ part: Part, _ count: Int) -> Int { isPart ? min(part.taken, count) : count }
    let tokens = shared(withTokens: hasTokens)
    let part = hasTokens ? telling : all
    let areMany =
      tokens.inPlace >= Self.many && tokens.inPlace * 4 >= least(part, tokens.singleCount)
    if turns == 0, areMany { return true }
    let isMost = tokens.found * 2 >= least(part, part.count) && turns * 10 <= found
    if isHere {
      let singleCount = least(part, tokens.singleCount)
      if turns == 0, tokens.inPlace >= Self.some, tokens.inPlace * 2 > singleCount { return true }
      if part.hasSameEnd { return isMost }
      return tokens.found * 10 >= part.count * 9 && turns == 0
    }
    return tokens.singleFound * 2 >= least(part, tokens.singleCount) && part.hasSameEnd && isMost
  }

  /// True where the other copy has lines, in their order up to the last, and others in the place of each that
  /// it has not: it is no shorter one.
  var haveOthersForAll: Bool { turns == 0 && !hasGap && lastLine == end }

  /// True where many lines were found, or nearly all that were taken: two hosts may log one request in the
  /// same words.
  var areManyOrNearlyAll: Bool { found >= Self.many || found * 4 >= all.taken * 3 }

  /// The least numbers of lines, each with the same number in both, that make a copy: at any two paths, and at
  /// one.
  private static let (many, some) = (8, 3)

  /// The numbers of lines that were found; of those that stand once, of those found among them, and of those
  /// with the same number in both copies.
  private struct Shared {
    var found = 0
    var singleCount = 0
    var singleFound = 0
    var inPlace = 0
  }

  /// Counts the lines, or those that hold a token.
  private func shared(withTokens: Bool) -> Shared {
    var result = Shared()
    for index in entries.indices {
      let digest = entries[index].digest
      if withTokens, !LineDigests.holdsToken(digest) { continue }
      if used[index] { result.found += 1 }
      let isSingle =
        (index == 0 || entries[index - 1].digest != digest)
        && (index + 1 == entries.count || entries[index + 1].digest != digest)
      guard isSingle else { continue }
      result.singleCount += 1
      if used[index] { result.singleFound += 1 }
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
    let digest = lines.tellTokens ? digest : LineDigests.plain(digest)
    all.take(digest)
    if LineDigests.holdsToken(digest) { telling.take(digest) }
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
