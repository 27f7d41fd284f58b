internal import Compression
internal import Glibc
internal import OpenSSL

/// A scan of a decompressed content, which it takes piece by piece. The results are the SHA-256,
/// the lines as ``LineCutter`` counts them, and the accounted contents that it begins with.
///
/// Where a content goes on behind an accounted one follows from the line in which that one ended:
/// - Its last line had an end: behind it.
/// - It had none, and was judged as a line. If blanks and a line end follow, it was whole: behind
///   that line end, so that its record is not audited twice. The same where damage ends it now. If
///   anything else follows, it was the beginning of a longer line, which no JSON object can be and go
///   on: at its own beginning, so that no record is lost. If nothing but blanks follows up to the
///   end of the content, there is nothing to read yet, and the line stays open.
/// - It was cut off by damage, and so not judged: at its own beginning.
final class ContentScan {
  /// The accounted contents that may be a beginning of this one, by the SHA-256 of its head or, where
  /// that has not come yet, without it.
  private let beginnings: (_ head: [UInt8]?) throws -> [AccountedInput]
  private var hash = SHA256Stream()
  private(set) var byteCount: UInt64 = 0
  /// SHA-256 of the first 1, 2, 4, … bytes up to ``AccountedInput/headBytes``, as far as they have
  /// come.
  private var heads: [[UInt8]] = []
  /// What tells that a shorter content is a part of this one.
  private var marks = ContentMarks()
  /// The marks of an accounted content, by its source.
  private let knownMarks: (UInt32) throws -> [UInt64]
  /// The bytes in front of the first damage.
  private var provenBytes = UInt64.max
  /// The offset from which on damage may have garbled what came before it showed.
  private var garbledFrom = UInt64.max
  /// The offset at which the content was cut off last.
  private var truncatedAt: UInt64?
  private var damageCount = 0
  /// The ranges in which damage may have made lines of others, in ascending order.
  private var unproven: [Range<UInt64>] = []
  /// True where the file is still being written.
  private let isOpen: Bool
  /// The whole part of such a file: its bytes up to the last line end, its lines, and their SHA-256.
  private var whole: (bytes: UInt64, lines: UInt64, sha256: [UInt8]?) = (0, 0, nil)
  /// The lines that have ended, and where the line begins that is open.
  private var endedLines: UInt64 = 0
  private var lineStart: UInt64 = 0
  /// True where damage has cut the open line, with nothing behind it so far.
  private var isCut = false
  /// The contents this one may begin with that are longer than what has come, the shortest last.
  private var candidates: [AccountedInput] = []
  /// The longest accounted content that this one begins with, and where to go on behind it.
  private var longest: Beginning?
  /// The longest one that was damaged: there may be lines in it that were not judged.
  private var longestDamaged: Beginning?
  /// All accounted contents that this one begins with or is, the shortest first.
  private(set) var recognised: [AccountedInput] = []
  /// The damaged inputs that this content may be a whole copy of.
  private var damaged: [UInt32: AccountedInput] = [:]
  /// The inputs among them that were read from this file, or from its path.
  private var damagedHere: Set<UInt32> = []

  /// Begins a scan. `isOpen` is true if the file is still being written. Only the whole part of it
  /// counts then. `marks` returns those of an accounted content (``InputLedger/marks(of:)``).
  init(
    isOpen: Bool = false, marks: @escaping (UInt32) throws -> [UInt64] = { _ in [] },
    beginnings: @escaping (_ head: [UInt8]?) throws -> [AccountedInput]
  ) throws {
    self.isOpen = isOpen
    knownMarks = marks
    self.beginnings = beginnings
    choose(try beginnings(nil))
    damagedHere = Set(damaged.keys)
  }

  /// Takes the next bytes.
  ///
  /// - Throws: The errors of the question for beginnings.
  func take(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = unsafe bytes
    while unsafe !rest.isEmpty {
      let count = Int(min(nextStop &- byteCount, UInt64(rest.count)))
      unsafe advance(UnsafeRawBufferPointer(rebasing: rest[..<count]))
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      if byteCount == nextHead {
        let digest = hash.digest()
        heads.append(digest)
        choose(try beginnings(digest))
      }
      if byteCount == marks.next { marks.add(hash.digest()) }
      if byteCount == candidates.last?.bytes { compare() }
    }
  }

  /// Takes damage at this place, in the frame or member whose content began at `start`.
  func damage(_ damage: StreamDamage, inContentFrom start: UInt64 = 0) {
    longest?.end(at: byteCount)
    longestDamaged?.end(at: byteCount)
    isCut = byteCount > lineStart
    damageCount += 1
    // What follows a cut is the rest of a line.
    let end = byteCount + (isCut || !damage.isChecksum ? 1 : 0)
    var from = min(damage.unprovenFrom ?? 0, byteCount)
    while let last = unproven.last, last.upperBound >= from {
      from = min(from, last.lowerBound)
      unproven.removeLast()
    }
    unproven.append(from..<end)
    provenBytes = min(provenBytes, damage.unprovenFrom ?? byteCount)
    if damage.kind == .corrupt, !damage.isChecksum { garbledFrom = min(garbledFrom, start) }
    truncatedAt = damage.kind == .truncated ? byteCount : nil
  }

  /// Returns what the content comes to; `fileBytes` are those of the file.
  ///
  /// - Throws: The errors of the question for marks.
  func finish(fileBytes: UInt64) throws -> ScannedContent {
    let isInside = byteCount > lineStart
    let isTruncated = truncatedAt == byteCount
    // A whole content is compared with damaged ones line by line.
    let longest = damageCount > 0 ? longestDamaged ?? longest : longest
    var content = ScannedContent(
      sha256: [], bytes: byteCount, lines: endedLines + (isInside && !isCut ? 1 : 0),
      resumeBytes: isInside ? lineStart : byteCount, resumeLines: endedLines,
      fileBytes: fileBytes, grownFrom: longest.map { ($0.source, $0.resume ?? byteCount) },
      recognised: recognised)
    content.isOpen = isOpen && (isInside || isTruncated)
    content.isDamaged = damageCount > (content.isOpen && isTruncated ? 1 : 0)
    if content.isOpen {
      content.bytes = whole.bytes
      (content.lines, content.resumeLines) = (whole.lines, whole.lines)
      content.resumeBytes = whole.bytes
      content.sha256 = whole.sha256 ?? SHA256Stream().digest()
    } else {
      content.sha256 = hash.digest()
    }
    let length = AccountedInput.headLength(min(content.bytes, provenBytes))
    content.heads = HeadDigests(
      heads.prefix(length == 0 ? 0 : length.trailingZeroBitCount + 1))
    content.isHeadProven = length > 0 && length <= garbledFrom
    content.hasWholeHead = content.isHeadProven && length == AccountedInput.headBytes
    content.marks = heads.map(HeadDigests.mark)
    if let longest, let resume = longest.resume {
      let isAgain = resume == longest.input.resumeBytes && resume < longest.input.bytes
      content.resumed = (
        isAgain ? longest.input.resumeLines + 1 : nil, longest.input.isDamaged
      )
    }
    // Behind damage in the middle there may be more than the known content had.
    let isContiguous = damageCount == (isTruncated ? 1 : 0)
    // A whole file that is shorter than a known one, and settled, is another one.
    if isContiguous, isOpen || isTruncated {
      content.isPartOfKnown = try candidates.contains { input in
        try beginsLike(input) && marks.areAll(among: knownMarks(input.source))
      }
    }
    content.contentMarks = marks.marks(upTo: content.bytes)
    content.endsInside = isContiguous && (content.isOpen || isTruncated)
    content.damagedCandidates = damaged.values.sorted { $0.source < $1.source }
    content.damagedHere = damagedHere
    content.unproven = unproven
    if !content.isDamaged, let longest, longest.resume != nil {
      let line = content.resumed.line
      if line != nil || longest.input.isDamaged && !content.isOpen {
        content.replaced = [
          ReplacedInput(source: longest.source, lines: line.map { [$0] } ?? [])
        ]
      }
    }
    return content
  }

  /// Returns whether a known content, of which not all has come, has the head of this one.
  private func beginsLike(_ input: AccountedInput) -> Bool {
    let index = AccountedInput.headLength(input.bytes).trailingZeroBitCount
    guard let head = input.head, !input.isDamaged, input.bytes > byteCount, index < heads.count
    else { return false }
    return heads[index] == head
  }

  /// The offset at which the next head ends, or nil once all have come.
  private var nextHead: UInt64? {
    let next = UInt64(1) << UInt64(heads.count)
    return next <= UInt64(AccountedInput.headBytes) ? next : nil
  }

  /// The offset at which the next comparison is due.
  private var nextStop: UInt64 {
    min(candidates.last?.bytes ?? .max, nextHead ?? .max, marks.next)
  }

  /// Looks out for these contents as well, as far as they are not shorter than what has come.
  private func choose(_ inputs: [AccountedInput]) {
    var more = false
    for input in inputs {
      if input.isDamaged { damaged[input.source] = input }
      guard input.bytes >= max(byteCount, 1),
        !candidates.contains(where: { $0.source == input.source })
      else { continue }
      candidates.append(input)
      more = true
    }
    if more { candidates.sort { ($0.bytes, $0.source) > ($1.bytes, $1.source) } }
  }

  private func advance(_ bytes: UnsafeRawBufferPointer) {
    unsafe longest?.follow(bytes, at: byteCount)
    unsafe longestDamaged?.follow(bytes, at: byteCount)
    if isCut {
      endedLines += 1
      lineStart = byteCount
      isCut = false
    }
    var at = 0
    while at < bytes.count, let base = bytes.baseAddress,
      let found = unsafe memchr(base + at, 0x0A, bytes.count - at)
    {
      at = unsafe UnsafeRawPointer(found) - base + 1
      endedLines += 1
      lineStart = byteCount + UInt64(at)
    }
    if isOpen, at > 0 {
      unsafe hash.update(UnsafeRawBufferPointer(rebasing: bytes[..<at]))
      whole = (lineStart, endedLines, hash.digest())
      unsafe hash.update(UnsafeRawBufferPointer(rebasing: bytes[at...]))
    } else {
      unsafe hash.update(bytes)
    }
    byteCount += UInt64(bytes.count)
  }

  /// Compares the contents that end here.
  private func compare() {
    let digest = hash.digest()
    while let candidate = candidates.last, candidate.bytes == byteCount {
      candidates.removeLast()
      guard candidate.sha256 == digest else { continue }
      recognised.append(candidate)
      longestDamaged = Beginning(candidate, lineStart: lineStart)
      if !candidate.isDamaged { longest = longestDamaged }
    }
  }

  /// An accounted content at the front of a longer one.
  private struct Beginning {
    let input: AccountedInput
    var source: UInt32 { input.source }
    /// The offset at which to go on, or nil as long as only blanks have followed a line without an
    /// end.
    private(set) var resume: UInt64?
    private let lineStart: UInt64

    init(_ input: AccountedInput, lineStart: UInt64) {
      self.input = input
      self.lineStart = lineStart
      if lineStart == input.bytes || input.endsInCutLine { resume = lineStart }
    }

    /// Looks at the bytes behind it, of which `bytes` are the next.
    mutating func follow(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
      guard resume == nil else { return }
      for index in 0..<bytes.count {
        switch unsafe bytes[index] {
        case 0x20, 0x09, 0x0D: continue
        case 0x0A: resume = offset + UInt64(index) + 1
        default: resume = lineStart
        }
        return
      }
    }

    /// Takes damage, which ends a line as a line end does.
    mutating func end(at offset: UInt64) {
      if resume == nil { resume = offset }
    }
  }
}
