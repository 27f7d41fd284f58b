internal import Basics
internal import Glibc
internal import OpenSSL

/// The kind of a line, as far as it tells one log from another.
enum LineKind: UInt64 {
  /// A line that is skipped. Any two logs of a server may have the same banner, and the same checks of health.
  case skipped
  /// A record with a token: a device makes each once.
  case request
  /// What else is read: challenges, and what is no record.
  case other
}

/// Tells the kinds of lines, as an audit reads them. Each thread has its own.
final class LineKinds {
  private let reader: RecordReader
  private let lineLimit: Int
  private var fields = ByteBuffer()
  /// The line that is open, as far as it is not too long.
  private var line = ByteBuffer()

  /// Makes one; `lineLimit` is `limits.lineBytes`.
  init(reader: RecordReader, lineLimit: Int) {
    self.reader = reader
    self.lineLimit = lineLimit
  }

  /// Takes the next bytes of the line that is open.
  func take(_ bytes: UnsafeRawBufferPointer) {
    let room = max(0, lineLimit + 1 - line.count)
    unsafe line.append(copying: UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
  }

  /// Ends the line, and returns its kind.
  func end() -> LineKind {
    defer { line.removeAll() }
    guard line.count <= lineLimit else { return .other }
    line.reserve(LineBatch.padding)
    switch unsafe line.withHeldBytes({ unsafe reader.read($0, into: &fields) }) {
    case .skipped, .deviceCheckToken: return .skipped
    case .record(let record): return record.kind == .challenge ? .other : .request
    case .reject: return .other
    }
  }
}

/// Digests of the lines of a content: what tells, line by line, what was read of a damaged copy.
///
/// A digest is the first 8 bytes of the SHA-256 of a line without its line end, but for the lowest two bits, which
/// are its kind (``LineKind``); that of a blank line is 0. A line in which the stream was damaged is not judged,
/// though all its bytes may have come: its digest is that of no line.
struct LineDigests: ~Copyable {
  /// The most lines that are remembered of one content.
  static let limit = 1 << 22
  private static let kindBits: UInt64 = 3

  /// A closure that is told the digest of each line, its place, its line end included, and whether damage cut it.
  private let take: (UInt64, Range<UInt64>, Bool) -> Void
  private let kinds: LineKinds
  private var hash = SHA256Stream()
  private var lineStart: UInt64 = 0
  private var byteCount: UInt64 = 0
  private var isBlank = true

  /// Returns the kind of the line with this digest.
  static func kind(_ digest: UInt64) -> LineKind { LineKind(rawValue: digest & kindBits) ?? .other }

  /// Returns a digest without the line's kind. Earlier versions kept others there.
  static func plain(_ digest: UInt64) -> UInt64 { digest & ~kindBits }

  init(
    kinds: LineKinds,
    _ take: @escaping (_ digest: UInt64, Range<UInt64>, _ isCut: Bool) -> Void
  ) {
    self.kinds = kinds
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
    unsafe kinds.take(bytes)
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
    let kind = kinds.end()
    if offset > lineStart {
      let plain = Self.plain(HeadDigests.mark(hash.digest()))
      take(isBlank && !isCut ? 0 : plain | kind.rawValue, lineStart..<offset, isCut)
      hash = SHA256Stream()
    }
    lineStart = offset
    isBlank = true
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
