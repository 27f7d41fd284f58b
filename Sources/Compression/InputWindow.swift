/// The compressed bytes of one source, seen through a buffer of fixed size that also keeps what
/// was read last, so that a search can go back to the place where damage may have begun.
@safe final class InputWindow {
  typealias Read = (UnsafeMutableRawBufferPointer) throws -> Int
  /// Fills the front of a buffer with bytes that were read before, from an offset of the source on, and
  /// returns their number; 0 where they are not there any more.
  typealias ReadAgain = (UInt64, UnsafeMutableRawBufferPointer) throws -> Int

  /// The most bytes that ``require(_:)`` takes: a zstd block of 128 KiB with the headers of its
  /// frame and itself, rounded up.
  static let lookahead = 132 << 10
  /// So many bytes before the cursor can be sought, as far as the source has them.
  static let history = 132 << 10
  private static let capacity = 512 << 10
  /// Less free space than this is worth moving what is kept.
  private static let smallestRead = 64 << 10

  private let storage: UnsafeMutableRawBufferPointer
  private var read: Read
  private var readAgain: ReadAgain?
  /// The number of bytes of the source that were read, as far as they are there.
  private var readCount: UInt64 = 0
  /// The offset in the file of the first byte in `storage`.
  private var base: UInt64 = 0
  private var cursor = 0
  private var end = 0
  private var sourceEnded = false

  init(read: @escaping Read, readAgain: ReadAgain? = nil) {
    unsafe storage = .allocate(byteCount: Self.capacity, alignment: 64)
    unsafe self.read = read
    unsafe self.readAgain = readAgain
  }

  deinit { unsafe storage.deallocate() }

  /// Begins another source.
  func reset(read: @escaping Read, readAgain: ReadAgain? = nil) {
    unsafe self.read = read
    unsafe self.readAgain = readAgain
    (base, cursor, end, sourceEnded, readCount) = (0, 0, 0, false, 0)
  }

  /// True where ``goBack(to:)`` may be called.
  var canGoBack: Bool { unsafe readAgain != nil }

  /// Moves the cursor back by any distance; what the buffer has no more is read again.
  func goBack(to target: UInt64) {
    precondition(canGoBack && target <= offset, "the place cannot be gone back to")
    if target >= base { return seek(to: target) }
    base = target
    (cursor, end) = (0, 0)
  }

  /// The cursor's offset in the file.
  var offset: UInt64 { base &+ UInt64(cursor) }

  /// The number of bytes from the cursor on that are in the buffer.
  var available: Int { end - cursor }

  /// The bytes from the cursor on that are in the buffer; valid until the next call.
  var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: storage[cursor..<end])
  }

  /// Returns the first `count` bytes from the cursor on; `count` is at most ``available``.
  func prefix(_ count: Int) -> UnsafeRawBufferPointer {
    precondition(count >= 0 && count <= available, "more bytes asked for than are buffered")
    return unsafe UnsafeRawBufferPointer(rebasing: storage[cursor..<cursor + count])
  }

  /// Returns the byte `index` places behind the cursor; `index` is below ``available``.
  subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < available, "a byte asked for that is not buffered")
    return unsafe storage[cursor + index]
  }

  /// Returns the little-endian number of `count` bytes, at most 8, `index` places behind the
  /// cursor.
  func number(at index: Int, count: Int) -> UInt64 {
    var value: UInt64 = 0
    for place in 0..<count { value |= UInt64(self[index + place]) << UInt64(8 * place) }
    return value
  }

  /// Makes at least `count` bytes, at most ``lookahead``, available behind the cursor; false where
  /// the source ends before them, and all it has left is available then.
  func require(_ count: Int) throws -> Bool {
    precondition(count <= Self.lookahead, "more bytes asked for than the buffer looks ahead")
    while available < count {
      if isAtEnd { return false }
      makeRoom()
      try unsafe receive(UnsafeMutableRawBufferPointer(rebasing: storage[end...]), buffered: true)
    }
    return true
  }

  /// Moves the cursor forward, by at most ``available``.
  func advance(_ count: Int) {
    precondition(count >= 0 && count <= available, "the cursor would leave the buffer")
    cursor += count
  }

  /// Moves the cursor within the buffer: back by at most ``history``, or forward by at most
  /// ``available``.
  func seek(to target: UInt64) {
    precondition(target >= base && target <= base &+ UInt64(end), "the place is not buffered")
    cursor = Int(target - base)
  }

  /// Moves up to `output.count` bytes to `output`, past the buffer where it is empty; 0 at the end.
  func pass(into output: UnsafeMutableRawBufferPointer) throws -> Int {
    if available > 0 {
      let count = min(available, output.count)
      unsafe output.copyMemory(from: prefix(count))
      cursor += count
      return count
    }
    return isAtEnd ? 0 : try unsafe receive(output, buffered: false)
  }

  /// True where nothing follows what is buffered.
  private var isAtEnd: Bool { sourceEnded && base &+ UInt64(end) >= readCount }

  /// Reads once. Bytes that do not go to the buffer count as passed by the cursor.
  @discardableResult
  private func receive(
    _ target: UnsafeMutableRawBufferPointer, buffered: Bool
  ) throws -> Int {
    let count = try unsafe fill(target)
    precondition(count >= 0 && count <= target.count, "the source gave more than was asked for")
    if buffered {
      end += count
    } else {
      base = offset &+ UInt64(count)
      (cursor, end) = (0, 0)
    }
    return count
  }

  /// Reads what follows the buffer: from the source, or again.
  private func fill(_ target: UnsafeMutableRawBufferPointer) throws -> Int {
    let place = base &+ UInt64(end)
    if place < readCount, let readAgain = unsafe readAgain {
      let most = Int(clamping: min(readCount - place, UInt64(target.count)))
      let count = try unsafe readAgain(
        place, UnsafeMutableRawBufferPointer(rebasing: target[..<most]))
      // Whoever cut the file meanwhile is found out when the source is at its end.
      if count <= 0 { (readCount, sourceEnded) = (place, true) }
      return max(count, 0)
    }
    let count = try unsafe read(target)
    if count == 0 { sourceEnded = true }
    readCount = place &+ UInt64(max(count, 0))
    return count
  }

  /// Drops the oldest bytes where little space is left at the end.
  private func makeRoom() {
    guard Self.capacity - end < Self.smallestRead, cursor > Self.history else { return }
    let dropped = cursor - Self.history
    if let start = unsafe storage.baseAddress {
      unsafe start.copyMemory(from: start + dropped, byteCount: end - dropped)
    }
    base &+= UInt64(dropped)
    cursor -= dropped
    end -= dropped
  }
}
