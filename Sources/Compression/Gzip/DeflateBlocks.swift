internal import CDeflate

/// Decodes whole blocks of one deflate stream (RFC 1951), faster than zlib, into a buffer of its own.
/// It takes only what zlib decodes as well and in the same way; all else is left to zlib, which goes
/// on at the block's beginning, so that damage is found where zlib finds it.
///
/// One stream, one thread at a time.
@safe final class DeflateBlocks {
  /// So much output in front is kept: what a match may reach back.
  static let window = Int(ATTEST_DEFLATE_WINDOW)
  /// Room for decoded blocks; larger ones are left to zlib.
  private static let room = 512 << 10

  private let tables: OpaquePointer
  /// The window, and the room behind it.
  private let buffer: UnsafeMutableRawPointer
  /// Bytes of the window that are filled, from its end.
  private var history = 0
  /// The decoded bytes that were not taken yet.
  private var pending = 0..<0
  /// Bits of the byte at the cursor that belong to blocks in front.
  private(set) var bit = 0

  /// Nil where memory is out.
  init?() {
    guard let tables = unsafe attest_deflate_create() else { return nil }
    unsafe self.tables = tables
    unsafe buffer = .allocate(byteCount: Self.window + Self.room, alignment: 64)
  }

  deinit {
    unsafe attest_deflate_destroy(tables)
    unsafe buffer.deallocate()
  }

  /// Begins another stream.
  func reset() {
    history = 0
    pending = 0..<0
    bit = 0
  }

  /// Goes on in a stream whose output so far it knows; `bit` bits of the byte at the cursor are passed.
  func resume(bit: Int) { self.bit = bit }

  /// Whether there are decoded bytes to be taken.
  var hasPending: Bool { !pending.isEmpty }

  /// Decodes blocks from the front of `input`, once all bytes were taken. Returns how many bytes of
  /// the input are passed, and whether the stream has ended; nil where zlib has to decode the next
  /// block.
  func decode(_ input: UnsafeRawBufferPointer) -> (consumed: Int, isLast: Bool)? {
    precondition(pending.isEmpty, "decoded bytes were not taken")
    guard let start = input.baseAddress else { return nil }
    let blocks = unsafe attest_deflate_decode(
      tables, start.assumingMemoryBound(to: UInt8.self), input.count, UInt32(bit),
      (buffer + Self.window).assumingMemoryBound(to: UInt8.self), history, Self.room)
    guard blocks.bits > bit else { return nil }
    pending = Self.window..<(Self.window + blocks.produced)
    let isLast = blocks.is_last != 0
    bit = isLast ? 0 : blocks.bits % 8
    return (isLast ? (blocks.bits + 7) / 8 : blocks.bits / 8, isLast)
  }

  /// Moves decoded bytes to `output` and tells how many.
  func take(into output: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(pending.count, output.count)
    guard let target = output.baseAddress, count > 0 else { return 0 }
    unsafe target.copyMemory(from: buffer + pending.lowerBound, byteCount: count)
    pending.removeFirst(count)
    if pending.isEmpty { keepHistory(upTo: pending.upperBound) }
    return count
  }

  /// Makes the last bytes in front of `end` the window.
  private func keepHistory(upTo end: Int) {
    let kept = min(history + end - Self.window, Self.window)
    unsafe (buffer + Self.window - kept).copyMemory(from: buffer + end - kept, byteCount: kept)
    history = kept
  }

  /// Takes note of output that zlib made.
  func remember(_ piece: UnsafeRawBufferPointer) {
    let added = min(piece.count, Self.window)
    guard let start = piece.baseAddress, added > 0 else { return }
    let kept = min(history, Self.window - added)
    unsafe (buffer + Self.window - added - kept)
      .copyMemory(from: buffer + Self.window - kept, byteCount: kept)
    unsafe (buffer + Self.window - added)
      .copyMemory(from: start + piece.count - added, byteCount: added)
    history = kept + added
  }

  /// The last bytes of the output so far, at most ``window`` of them, once all were taken.
  var lastBytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: buffer + Self.window - history, count: history)
  }
}

extension Range<Int> {
  /// Drops the first `count`, which are there.
  fileprivate mutating func removeFirst(_ count: Int) {
    self = (lowerBound + count)..<upperBound
  }
}
