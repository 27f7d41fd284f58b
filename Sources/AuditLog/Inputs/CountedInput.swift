internal import Files
internal import Glibc
internal import OpenSSL

/// An input whose bytes are counted, and hashed where that is wanted, as they are read.
final class CountedInput {
  private let input: OpenFile
  private let limit: UInt64
  private let progress: (Int) -> Void
  private let isHashed: Bool
  private var hash = SHA256Stream()
  private(set) var byteCount: UInt64 = 0
  /// Whether a read met the end of the input.
  private(set) var isAtEnd = false

  /// Makes a counter of an input. Bytes behind the first `limit` are not read. If `limit` is nil,
  /// all are read.
  init(
    _ input: OpenFile, limit: UInt64? = nil, isHashed: Bool,
    progress: @escaping (Int) -> Void
  ) {
    self.input = input
    self.isHashed = isHashed
    self.limit = limit ?? .max
    self.progress = progress
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let most = Int(clamping: min(limit - byteCount, UInt64(buffer.count)))
    guard most > 0 else { return 0 }
    let count = unsafe input.readSome(
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<most]))
    guard count >= 0 else { throw ReadFailure(number: errno) }
    isAtEnd = count == 0
    if isHashed { unsafe hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
    byteCount += UInt64(count)
    progress(count)
    return count
  }

  /// Returns the SHA-256 of all bytes read so far.
  func digest() -> [UInt8] { hash.digest() }

  /// Returns what tells later whether the file was touched, or nil if it is not a regular file.
  /// `path` is the one it was opened by.
  func stamp(path: String) -> FileStamp? { input.stamp(path: path) }

  /// Reads the same bytes once more and returns whether they still are what they were. Returns
  /// false if that cannot be done, or is not wanted any more.
  func isUnchanged(mustStop: () -> Bool) -> Bool {
    guard isHashed, input.rewind() else { return false }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 64)
    defer { unsafe buffer.deallocate() }
    var again = SHA256Stream()
    var left = byteCount
    while left > 0, !mustStop() {
      let most = Int(clamping: min(left, UInt64(buffer.count)))
      let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<most])
      let count = unsafe input.readSome(into: piece)
      guard count > 0 else { return false }
      unsafe again.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
      left -= UInt64(count)
    }
    return left == 0 && again.digest() == digest()
  }
}
