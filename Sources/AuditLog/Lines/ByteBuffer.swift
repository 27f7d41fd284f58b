/// Bytes that are appended to and read back by range; reused from record to record, so that the
/// hot path does not allocate. Read with `storage.span.extracting(range)`.
package struct ByteBuffer: Sendable {
  /// The bytes held, and room behind them.
  package private(set) var storage: [UInt8]
  package private(set) var count = 0

  package init(capacity: Int = 16384) {
    storage = [UInt8](repeating: 0, count: max(capacity, 64))
  }

  /// Forgets what is held and gives memory beyond `keeping` bytes back.
  package mutating func removeAll(keeping: Int = 1 << 20) {
    count = 0
    if storage.count > keeping {
      storage = [UInt8](repeating: 0, count: keeping)
    }
  }

  @inline(__always)
  package mutating func reserve(_ extra: Int) {
    if count + extra > storage.count { grow(by: extra) }
  }

  private mutating func grow(by extra: Int) {
    let larger = max(storage.count * 2, count + extra)
    storage.append(contentsOf: repeatElement(0, count: larger - storage.count))
  }

  func withHeldBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    unsafe storage.withUnsafeBufferPointer {
      unsafe body(UnsafeBufferPointer(rebasing: $0[..<count]))
    }
  }

  mutating func keepLast(_ kept: Int) {
    guard count > kept else { return }
    let dropped = count - kept
    unsafe storage.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe start.copyMemory(from: start + dropped, byteCount: kept)
    }
    count = kept
  }

  mutating func drop(to end: Int) {
    precondition(end <= count, "more bytes are dropped than there are")
    count = end
  }

  /// Keeps of the bytes from `start` on only those of a range, and returns where they lie.
  mutating func keep(_ range: Range<Int>, from start: Int) -> Range<Int> {
    precondition(start <= range.lowerBound && range.upperBound <= count, "a range that is not held")
    unsafe storage.withUnsafeMutableBytes { bytes in
      unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
    count = start + range.count
    return start..<count
  }

  package mutating func append(_ byte: UInt8) {
    reserve(1)
    storage[count] = byte
    count += 1
  }

  @discardableResult
  package mutating func append(_ bytes: Span<UInt8>) -> Range<Int> {
    unsafe bytes.withUnsafeBytes { unsafe append(copying: $0) }
  }

  @discardableResult
  package mutating func append(copying bytes: UnsafeRawBufferPointer) -> Range<Int> {
    let start = count
    reserve(bytes.count)
    if let source = bytes.baseAddress {
      unsafe storage.withUnsafeMutableBytes { target in
        unsafe (target.baseAddress.unsafelyUnwrapped + start).copyMemory(
          from: source, byteCount: bytes.count)
      }
    }
    count += bytes.count
    return unsafe Range(uncheckedBounds: (start, count))
  }

  /// Appends up to `extra` bytes: as many as `body` returns, or none for nil.
  @inline(__always)
  package mutating func append(
    atMost extra: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int?
  ) -> Range<Int>? {
    reserve(extra)
    let start = count
    let written = unsafe storage.withUnsafeMutableBufferPointer { target in
      unsafe body(
        UnsafeMutableBufferPointer(
          start: target.baseAddress.unsafelyUnwrapped + start, count: extra))
    }
    guard let written else { return nil }
    precondition(written <= extra, "more bytes were written than there was room for")
    count = start + written
    return start..<count
  }
}
