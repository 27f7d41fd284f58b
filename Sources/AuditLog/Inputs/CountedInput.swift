internal import Files
internal import Glibc
internal import OpenSSL

/// The system's error number of a failed read.
struct ReadFailure: Error {
  var number: Int32
}

/// An input whose bytes are counted, and hashed where that is wanted, as they are read.
final class CountedInput {
  private let input: RawInput
  private let limit: UInt64
  private let progress: (Int) -> Void
  private let isHashed: Bool
  private var hash = SHA256Stream()
  private(set) var byteCount: UInt64 = 0

  /// What lies behind the first `limit` bytes is not looked at; nil: all is read.
  init(
    _ input: consuming RawInput, limit: UInt64? = nil, isHashed: Bool,
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
    let count = unsafe input.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<most]))
    guard count >= 0 else { throw ReadFailure(number: errno) }
    if isHashed { unsafe hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
    byteCount += UInt64(count)
    progress(count)
    return count
  }

  /// Of all bytes read so far.
  func digest() -> [UInt8] { hash.digest() }

  /// What tells later whether the file was touched; nil where it is no regular file. `path` is the
  /// one it was opened by.
  func stamp(path: String) -> FileStamp? { input.stamp(path: path) }
}
