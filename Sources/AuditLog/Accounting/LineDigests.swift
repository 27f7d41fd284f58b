internal import OpenSSL

/// Digests of the lines of a content: what tells, line by line, what was read of a damaged copy.
///
/// A digest is the first 8 bytes of the SHA-256 of a line without its line end. Blank lines have none.
struct LineDigests: ~Copyable {
  /// The most lines that are remembered of one content.
  static let limit = 1 << 22

  /// Told the digest of each line, and where it stands, its line end included.
  private let take: (UInt64, Range<UInt64>) -> Void
  private var hash = SHA256Stream()
  private var lineStart: UInt64 = 0
  private var byteCount: UInt64 = 0
  private var isBlank = true

  init(_ take: @escaping (UInt64, Range<UInt64>) -> Void) {
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

  /// Takes note of damage, or of the end: the line that is open ends here.
  mutating func cut() { end(at: byteCount) }

  private mutating func end(at offset: UInt64) {
    if !isBlank {
      let digest = hash.digest().prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      take(digest, lineStart..<offset)
    }
    if offset > lineStart { hash = SHA256Stream() }
    lineStart = offset
    isBlank = true
  }
}

/// The lines that were read of a damaged copy, as often as each was.
struct ReadLines {
  private let digests: [UInt64]
  private var used: [Bool]
  private(set) var found = 0

  /// `digests` ascend.
  init(_ digests: [UInt64]) {
    self.digests = digests
    used = [Bool](repeating: false, count: digests.count)
  }

  /// Whether most of the lines were found.
  var areMostlyFound: Bool { found * 2 >= digests.count && found > 0 }

  /// Whether a line was read, and not found before as often as it was.
  mutating func take(_ digest: UInt64) -> Bool {
    var (from, to) = (0, digests.count)
    while from < to {
      let middle = (from + to) / 2
      if digests[middle] < digest { from = middle + 1 } else { to = middle }
    }
    while from < digests.count, digests[from] == digest {
      if !used[from] {
        used[from] = true
        found += 1
        return true
      }
      from += 1
    }
    return false
  }
}
