/// The bytes of one source in a buffer that also keeps the last ones, for going back to damage.
@safe final class InputWindow {
  typealias Read = (UnsafeMutableRawBufferPointer) throws -> Int

  /// The most bytes that ``require(_:)`` takes: a zstd block of 128 KiB with headers.
  static let lookahead = 132 << 10
  /// The number of bytes before the cursor that can be sought, as far as the source has them.
  static let history = 132 << 10
  private static let capacity = 512 << 10
  /// The free space below which it is worth moving what is kept.
  private static let smallestRead = 64 << 10

  private let storage: UnsafeMutableRawBufferPointer
  private let read: Read
  /// The offset in the file of the first byte in `storage`.
  private var base: UInt64 = 0
  private var cursor = 0
  private var end = 0
  private var sourceEnded = false

  init(read: @escaping Read) {
    unsafe storage = .allocate(byteCount: Self.capacity, alignment: 64)
    unsafe self.read = read
  }

  deinit { unsafe storage.deallocate() }

  var offset: UInt64 { base &+ UInt64(cursor) }

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

  /// Returns the byte `index` places after the cursor; `index` is below ``available``.
  subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < available, "a byte asked for that is not buffered")
    return unsafe storage[cursor + index]
  }

  /// Returns the little-endian number of `count` bytes, at most 8, at `index` from the cursor.
  func number(at index: Int, count: Int) -> UInt64 {
    var value: UInt64 = 0
    for place in 0..<count { value |= UInt64(self[index + place]) << UInt64(8 * place) }
    return value
  }

  /// Makes `count` bytes available after the cursor, at most ``lookahead``, or all that are left.
  func require(_ count: Int) throws -> Bool {
    precondition(count <= Self.lookahead, "more bytes asked for than the buffer looks ahead")
    while available < count {
      if sourceEnded { return false }
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

  /// Moves the cursor back by at most ``history``, or forward by at most ``available``.
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
    return sourceEnded ? 0 : try unsafe receive(output, buffered: false)
  }

  /// Reads once. Bytes that do not go to the buffer count as passed by the cursor.
  @discardableResult
  private func receive(
    _ target: UnsafeMutableRawBufferPointer, buffered: Bool
  ) throws -> Int {
    let count = try unsafe read(target)
    precondition(count >= 0 && count <= target.count, "the source gave more than was asked for")
    if count == 0 { sourceEnded = true }
    if buffered {
      end += count
    } else {
      base = offset &+ UInt64(count)
      (cursor, end) = (0, 0)
    }
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
