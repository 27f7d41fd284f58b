internal import Dispatch
internal import Glibc

/// Up to about 1 MiB of whole lines of one source, with their place in it.
///
/// A batch has one owner at a time: the reader fills it, a worker reads it, the pool keeps it.
@safe package final class LineBatch: @unchecked Sendable {
  /// Bytes that are readable behind every line, whatever they are.
  package static let padding = JSONLine.padding
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private var buffer: UnsafeMutableRawPointer
  /// The tasks beside the owner that still read the filled bytes: these change only when all have left.
  let readers = DispatchGroup()
  /// Bytes there is room for, `padding` not counted.
  package private(set) var capacity: Int
  var count = 0
  /// The index of the source in the order of the run.
  package internal(set) var source: UInt32 = 0
  /// The number of the first line, 1-based.
  package internal(set) var firstLine: UInt64 = 1
  /// The offset of the first byte in the decompressed stream.
  package internal(set) var firstByteOffset: UInt64 = 0
  /// The number of the source's batches in front of this one.
  package internal(set) var sequence: UInt64 = 0
  /// The time before its first line, if ``PreviousTimes`` has said it.
  package internal(set) var previousTime: Int64?
  /// Lines that are not read again, counted from 1, as ascending ranges.
  var passed: [Range<UInt64>] = []
  /// Whether damage ended the batch: a last line without an end was cut by it.
  var isCut = false
  /// Whether the batch holds only the head of one line longer than the limit.
  var isOverlong = false
  /// SHA-256 of that whole line.
  var overlongSHA256: [UInt8]?
  /// Whether that whole line contains a token, or nil if it was not searched.
  var overlongHasToken: Bool?
  var overlongGaveUp = false

  init(capacity: Int) {
    self.capacity = capacity
    guard let allocated = unsafe malloc(capacity + Self.padding) else {
      preconditionFailure("there is no memory for a batch of \(capacity) bytes")
    }
    unsafe buffer = allocated
    unsafe (buffer + capacity).initializeMemory(as: UInt8.self, repeating: 0, count: Self.padding)
  }

  deinit {
    unsafe free(buffer)
  }

  var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: buffer, count: count)
  }

  var room: UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(start: buffer + count, count: capacity - count)
  }

  func contains(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    return unsafe start >= buffer && start - buffer < capacity
  }

  func empty() {
    readers.wait()
    count = 0
  }

  func grow(to larger: Int) {
    precondition(larger >= count, "a batch cannot shrink below what it holds")
    readers.wait()
    // The kernel moves the pages of a large buffer, and copies none.
    guard let moved = unsafe realloc(buffer, larger + Self.padding) else {
      preconditionFailure("there is no memory for a batch of \(larger) bytes")
    }
    unsafe (moved + larger).initializeMemory(as: UInt8.self, repeating: 0, count: Self.padding)
    unsafe buffer = moved
    capacity = larger
  }

  func drop(_ front: Int) {
    precondition(front <= count, "more bytes dropped than there are")
    readers.wait()
    count -= front
    unsafe memmove(buffer, buffer + front, count)
  }

  /// Empties the batch and gives memory beyond `capacity` back.
  func reset(capacity: Int) {
    empty()
    isCut = false
    isOverlong = false
    overlongSHA256 = nil
    overlongHasToken = nil
    overlongGaveUp = false
    passed = []
    previousTime = nil
    if self.capacity != capacity { grow(to: capacity) }
  }

  func lineEnds(from start: Int) -> UInt64 {
    var ends: UInt64 = 0
    var at = start
    while at < count, let found = unsafe memchr(buffer + at, 0x0A, count - at) {
      ends += 1
      at = unsafe UnsafeRawPointer(found) - UnsafeRawPointer(buffer) + 1
    }
    return ends
  }

  /// Calls `body` for each line, in order, blank ones included.
  package func forEachLine(limit: Int, _ body: (LogLine) -> Void) {
    var number = firstLine
    var passed = passed[...]
    var at = 0
    if firstByteOffset == 0, unsafe bytes.starts(with: Self.byteOrderMark) { at = 3 }
    while at < count {
      let found = unsafe memchr(buffer + at, 0x0A, count - at)
      let end = unsafe found.map { unsafe UnsafeRawPointer($0) - UnsafeRawPointer(buffer) } ?? count
      var length = end - at
      // A line without an end might have the first byte of one.
      if length > 0, !isCut || end < count, unsafe bytes[end - 1] == 0x0D { length -= 1 }
      let text = unsafe UnsafeRawBufferPointer(start: buffer + at, count: length)
      while let range = passed.first, range.upperBound <= number { passed.removeFirst() }
      let isPassed = passed.first.map { $0.lowerBound <= number } ?? false
      var state = LogLine.State.whole
      if isOverlong || length > limit {
        state = .overlong
      } else if isCut, end == count {
        state = .cut
      } else if unsafe Self.isBlank(text) {
        state = .blank
      }
      if isPassed, state != .blank { state = .passed }
      body(
        unsafe LogLine(
          text: text.assumingMemoryBound(to: UInt8.self), state: state, number: number,
          byteOffset: firstByteOffset + UInt64(at), wholeSHA256: overlongSHA256,
          hasToken: overlongHasToken, isPartlySearched: overlongGaveUp))
      number += 1
      at = end + 1
    }
  }

  private static func isBlank(_ text: UnsafeRawBufferPointer) -> Bool {
    for index in 0..<text.count {
      let byte = unsafe text[index]
      if byte != 0x20, byte != 0x09, byte != 0x0D { return false }
    }
    return true
  }
}

/// One line of a batch; its text is valid as long as the batch is.
@safe package struct LogLine {
  package enum State: Sendable {
    case whole, blank
    /// It was read before, or another line replaces it: it is not read again.
    case passed
    case cut
    /// A line that is longer than the limit. Its text may be only the head.
    case overlong
  }
  /// The text without its end. ``LineBatch/padding`` bytes behind it are readable.
  package let text: UnsafeBufferPointer<UInt8>
  package let state: State
  /// 1-based.
  package let number: UInt64
  /// The offset of the first byte in the decompressed stream.
  package let byteOffset: UInt64
  /// SHA-256 of the whole line where the text is only its head.
  package let wholeSHA256: [UInt8]?
  /// Whether the whole line contains a token, if the text is only its head and it was searched.
  package let hasToken: Bool?
  /// Whether that search gave up.
  package let isPartlySearched: Bool

  package var head: [UInt8] { unsafe Array(text.prefix(256)) }
}
