internal import Glibc
internal import OpenSSL

/// Takes a decompressed content piece by piece and says what it comes to: SHA-256, lines as
/// ``LineCutter`` counts them, and which accounted contents it begins with.
///
/// Where a content goes on behind an accounted one follows from the line in which that one ended:
/// - Its last line had an end: behind it.
/// - It had none, and was judged as a line. If blanks and a line end follow, it was whole: behind
///   that line end, so that its record is not audited twice. The same where damage ends it now. If
///   anything else follows, it was the beginning of a longer line, which no JSON object can be and go
///   on: at its own beginning, so that no record is lost. If nothing but blanks follows up to the
///   end of the content, there is nothing to read yet, and the line stays open.
/// - It was cut off by damage, and so not judged: at its own beginning.
struct ContentScan: ~Copyable {
  /// The accounted contents that may be a beginning of this one, by the SHA-256 of its head or, where
  /// that has not come yet, without it.
  private let beginnings: (_ head: [UInt8]?) throws -> [AccountedInput]
  private var hash = SHA256Stream()
  private(set) var byteCount: UInt64 = 0
  /// SHA-256 of the first ``AccountedInput/headBytes`` bytes, once they have come.
  private(set) var head: [UInt8]?
  /// The lines that have ended, and where the line begins that is open.
  private var endedLines: UInt64 = 0
  private var lineStart: UInt64 = 0
  /// Whether damage has cut the open line, with nothing behind it so far.
  private var isCut = false
  /// The contents this one may begin with that are longer than what has come, the shortest last.
  private var candidates: [AccountedInput] = []
  /// The longest accounted content that this one begins with, and where to go on behind it.
  private var longest: Beginning?
  /// The numbers of all sources whose content this one begins with or is.
  private(set) var recognised: [UInt32] = []

  init(beginnings: @escaping (_ head: [UInt8]?) throws -> [AccountedInput]) throws {
    self.beginnings = beginnings
    choose(try beginnings(nil))
  }

  /// Takes the next bytes.
  ///
  /// - Throws: What the question for beginnings throws.
  mutating func take(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = unsafe bytes
    while unsafe !rest.isEmpty {
      let count = Int(min(nextStop &- byteCount, UInt64(rest.count)))
      unsafe advance(UnsafeRawBufferPointer(rebasing: rest[..<count]))
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      if byteCount == AccountedInput.headLength {
        let digest = hash.digest()
        head = digest
        choose(try beginnings(digest))
      }
      if byteCount == candidates.last?.bytes { compare() }
    }
  }

  /// Takes note of damage that stands here.
  mutating func damage() {
    longest?.end(at: byteCount)
    isCut = byteCount > lineStart
  }

  /// What the content comes to; `fileBytes` are those of the file.
  func finish(fileBytes: UInt64) -> ScannedContent {
    let isOpen = byteCount > lineStart
    return ScannedContent(
      sha256: hash.digest(), bytes: byteCount,
      lines: endedLines + (isOpen && !isCut ? 1 : 0),
      resumeBytes: isOpen ? lineStart : byteCount, resumeLines: endedLines, head: head,
      fileBytes: fileBytes, grownFrom: longest.map { ($0.source, $0.resume ?? byteCount) },
      recognised: recognised)
  }

  /// Where the next comparison is due.
  private var nextStop: UInt64 {
    let candidate = candidates.last?.bytes ?? .max
    return byteCount < AccountedInput.headLength
      ? min(candidate, AccountedInput.headLength) : candidate
  }

  /// Looks out for these contents, as far as they are not shorter than what has come.
  private mutating func choose(_ inputs: [AccountedInput]) {
    candidates = inputs.filter { $0.bytes >= max(byteCount, 1) }.sorted { $0.bytes > $1.bytes }
  }

  private mutating func advance(_ bytes: UnsafeRawBufferPointer) {
    unsafe hash.update(bytes)
    unsafe longest?.follow(bytes, at: byteCount)
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
    byteCount += UInt64(bytes.count)
  }

  /// Compares the contents that end here.
  private mutating func compare() {
    let digest = hash.digest()
    while let candidate = candidates.last, candidate.bytes == byteCount {
      candidates.removeLast()
      guard candidate.sha256 == digest else { continue }
      recognised.append(candidate.source)
      longest = Beginning(candidate, lineStart: lineStart)
    }
  }

  /// An accounted content at the front of a longer one.
  private struct Beginning {
    let source: UInt32
    /// Where to go on; nil as long as only blanks have followed a line without an end.
    private(set) var resume: UInt64?
    private let lineStart: UInt64

    init(_ input: AccountedInput, lineStart: UInt64) {
      source = input.source
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

    /// Takes note of damage, which ends a line as a line end does.
    mutating func end(at offset: UInt64) {
      if resume == nil { resume = offset }
    }
  }
}

/// What a file's decompressed content came to.
struct ScannedContent: Sendable {
  var sha256: [UInt8]
  var bytes: UInt64
  var lines: UInt64
  var resumeBytes: UInt64
  var resumeLines: UInt64
  var head: [UInt8]?
  var fileBytes: UInt64
  /// The longest accounted content that it begins with, and where to go on.
  var grownFrom: (source: UInt32, at: UInt64)?
  /// The sources of earlier runs whose content it begins with or is.
  var recognised: [UInt32]

  /// What is to be remembered of it, its source's number being `source`.
  func accounted(source: UInt32, name: String) -> AccountedInput {
    AccountedInput(
      source: source, name: name, sha256: sha256, bytes: bytes, lines: lines,
      resumeBytes: resumeBytes, resumeLines: resumeLines, head: head)
  }

  /// What of it is to be read.
  var part: PlannedPart {
    PlannedPart(from: grownFrom?.at ?? 0, to: bytes, sha256: sha256, fileBytes: fileBytes)
  }
}

extension AccountedInput {
  /// ``headBytes`` as a length of contents.
  fileprivate static var headLength: UInt64 { UInt64(headBytes) }
}
