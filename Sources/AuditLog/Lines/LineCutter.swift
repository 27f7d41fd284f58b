internal import Glibc
internal import OpenSSL

/// A cutter of one source's decompressed bytes into numbered batches of whole lines.
struct LineCutter {
  private let source: UInt32
  private let lineLimit: Int
  private let pool: BatchPool
  private let emit: (LineBatch) -> Void
  private(set) var batch: LineBatch
  /// The head of a line longer than the limit, whose end has not come yet.
  private var overlong: LineBatch?
  private let search: LongLineSearch?
  private var overlongHash = LineHash()
  private var batchCount: UInt64 = 0
  /// The number of the first line in `batch`.
  private var line: UInt64 = 1
  private var heldLineEnds: UInt64 = 0
  /// The offset of the first byte of `batch`.
  private var offset: UInt64 = 0

  /// Bytes of an overlong line that are kept for `rejects.jsonl`, after a byte order mark.
  private static let headBytes = 256 + 3

  init(
    source: UInt32, lineLimit: Int, pool: BatchPool, search: LongLineSearch? = nil,
    emit: @escaping (LineBatch) -> Void
  ) {
    self.source = source
    self.search = search
    self.lineLimit = lineLimit
    self.pool = pool
    self.emit = emit
    batch = pool.take()
  }

  var byteCount: UInt64 { offset + UInt64(batch.count) }

  /// Whether some of a line that has no end yet has been taken.
  var isInsideLine: Bool {
    if overlong != nil { return true }
    guard batch.count > 0 else { return false }
    return unsafe batch.bytes[batch.count - 1] != 0x0A
  }

  /// The line that the next byte belongs to.
  var currentLine: UInt64 { line + heldLineEnds }

  /// The room for decompressed bytes. It is never empty.
  var room: UnsafeMutableRawBufferPointer { unsafe batch.room }

  /// Takes the next `count` bytes, which were written to `room`.
  mutating func take(_ count: Int) {
    let held = batch.count
    batch.count += count
    if overlong != nil { endOverlong() }
    heldLineEnds += batch.lineEnds(from: min(held, batch.count))
    if batch.count == batch.capacity { handOn() }
  }

  mutating func cut() {
    flush(isCut: true)
  }

  /// Hands on what is left at the end of the source, or leaves an incomplete last line to a later run.
  mutating func finish(leavesOpenLine: Bool = false) {
    if leavesOpenLine, isInsideLine { leaveOpenLine() }
    flush(isCut: false)
    pool.giveBack(batch)
  }

  private mutating func leaveOpenLine() {
    if let head = overlong {
      overlong = nil
      pool.giveBack(head)
    }
    batch.count = lineEnd
  }

  /// The offset after the last line end in `batch`, or 0. A line that grows is not searched again.
  private var lineEnd: Int {
    guard heldLineEnds > 0 else { return 0 }
    return unsafe (batch.bytes.lastIndex(of: 0x0A) ?? -1) + 1
  }

  private mutating func flush(isCut: Bool) {
    if let head = overlong {
      overlong = nil
      emitOverlong(head, hasEnd: false)
      return
    }
    guard batch.count > 0 else { return }
    let isInside = isInsideLine
    send(upTo: batch.count, isCut: isCut)
    if isInside { line += 1 }
  }

  /// Hands on the whole lines of a full batch, or makes room for a longer line.
  private mutating func handOn() {
    let end = lineEnd
    if end > 0 { return send(upTo: end, isCut: false) }
    // Room for the line, a carriage return and a byte order mark, and one byte more.
    let largest = lineLimit + 5
    if batch.capacity < largest {
      batch.grow(to: min(batch.capacity * 2, largest))
    } else {
      beginOverlong()
    }
  }

  /// Hands on the first `end` bytes and starts the next batch with the rest.
  private mutating func send(upTo end: Int, isCut: Bool) {
    let full = batch
    batch = pool.take()
    let rest = unsafe UnsafeRawBufferPointer(rebasing: full.bytes[end...])
    // There must be room for more behind it.
    if rest.count >= batch.capacity { batch.grow(to: rest.count + Self.headBytes) }
    unsafe batch.room.copyMemory(from: rest)
    batch.count = rest.count
    full.count = end
    full.source = source
    full.firstLine = line
    full.firstByteOffset = offset
    full.isCut = isCut
    line += heldLineEnds
    heldLineEnds = 0
    offset += UInt64(end)
    handOn(full)
  }

  private mutating func handOn(_ batch: LineBatch) {
    batch.sequence = batchCount
    batchCount += 1
    emit(batch)
  }

  // MARK: Lines beyond the limit

  private mutating func beginOverlong() {
    let head = pool.take()
    if head.capacity < Self.headBytes { head.grow(to: Self.headBytes) }
    unsafe head.room.copyMemory(from: .init(rebasing: batch.bytes.prefix(Self.headBytes)))
    head.count = min(batch.count, Self.headBytes)
    head.source = source
    head.firstByteOffset = offset
    head.isOverlong = true
    overlong = head
    overlongHash = LineHash()
    let hasMark = unsafe offset == 0 && batch.bytes.starts(with: LineBatch.byteOrderMark)
    unsafe overlongHash.take(UnsafeRawBufferPointer(rebasing: batch.bytes[(hasMark ? 3 : 0)...]))
    search?.begin()
    unsafe search?.append(batch.bytes)
    offset += UInt64(batch.count)
    batch.empty()
  }

  /// Drops bytes up to the end of the overlong line and hands its head on, once that is there.
  private mutating func endOverlong() {
    guard let head = overlong else { return }
    guard let base = unsafe batch.bytes.baseAddress,
      let end = unsafe memchr(base, 0x0A, batch.count)
    else {
      unsafe overlongHash.take(batch.bytes)
      unsafe search?.append(batch.bytes)
      offset += UInt64(batch.count)
      batch.empty()
      return
    }
    let behind = unsafe UnsafeRawPointer(end) - base + 1
    let rest = unsafe UnsafeRawBufferPointer(rebasing: batch.bytes[..<(behind - 1)])
    unsafe overlongHash.take(rest)
    unsafe search?.append(rest)
    batch.drop(behind)
    offset += UInt64(behind)
    overlong = nil
    emitOverlong(head, hasEnd: true)
  }

  private mutating func emitOverlong(_ head: LineBatch, hasEnd: Bool) {
    head.overlongSHA256 = overlongHash.digest(hasEnd: hasEnd)
    search?.end()
    head.overlongHasToken = search?.hasToken
    head.overlongGaveUp = search?.gaveUp ?? false
    head.firstLine = line
    line += 1
    handOn(head)
  }
}

/// SHA-256 of a line that comes in pieces, without the carriage return that belongs to its end.
private final class LineHash {
  private var stream = SHA256Stream()
  /// Whether a carriage return is not hashed yet: only what follows tells what it belongs to.
  private var holdsReturn = false

  func take(_ bytes: UnsafeRawBufferPointer) {
    guard unsafe !bytes.isEmpty else { return }
    takeReturn()
    holdsReturn = unsafe bytes[bytes.count - 1] == 0x0D
    unsafe stream.update(UnsafeRawBufferPointer(rebasing: bytes.dropLast(holdsReturn ? 1 : 0)))
  }

  /// Returns the digest, 32 bytes, of a line that a line feed ends, or of one that nothing ends.
  func digest(hasEnd: Bool) -> [UInt8] {
    if !hasEnd { takeReturn() }
    return stream.digest()
  }

  private func takeReturn() {
    guard holdsReturn else { return }
    holdsReturn = false
    unsafe withUnsafeBytes(of: UInt8(0x0D)) { unsafe stream.update($0) }
  }
}
