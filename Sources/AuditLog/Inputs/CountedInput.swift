internal import Dispatch
internal import Files
internal import Glibc
internal import OpenSSL

/// An input whose bytes are counted, and hashed where that is wanted, as they are read.
final class CountedInput: @unchecked Sendable {
  private let input: OpenFile
  private let limit: UInt64
  private let progress: (Int) -> Void
  private let isHashed: Bool
  private let hashesBeside: () -> Bool
  /// Bytes that another thread hashes and that are not in a batch, and the task that hashes them.
  private var copy = ByteBuffer(capacity: 64)
  private let copied = DispatchGroup()
  // The hash is used on the queue only; everything else belongs to the thread that reads.
  private var hash = SHA256Stream()
  private let hashing = DispatchQueue(label: "hash")
  private(set) var byteCount: UInt64 = 0
  /// Whether a read met the end of the input.
  private(set) var isAtEnd = false

  /// Makes a counter of an input. Bytes behind the first `limit` are not read. If `limit` is nil,
  /// all are read. `hashesBeside` returns whether another thread hashes the bytes that were just read.
  init(
    _ input: OpenFile, limit: UInt64? = nil, isHashed: Bool,
    hashesBeside: @escaping () -> Bool = { false },
    progress: @escaping (Int) -> Void
  ) {
    self.input = input
    self.isHashed = isHashed
    self.hashesBeside = hashesBeside
    self.limit = limit ?? .max
    self.progress = progress
  }

  /// Reads once into a buffer, which may be a part of `batch`.
  func read(into buffer: UnsafeMutableRawBufferPointer, filling batch: LineBatch? = nil) throws
    -> Int
  {
    let most = Int(clamping: min(limit - byteCount, UInt64(buffer.count)))
    guard most > 0 else { return 0 }
    let count = unsafe input.readSome(
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<most]))
    guard count >= 0 else { throw ReadFailure(number: errno) }
    isAtEnd = count == 0
    if isHashed {
      let holder = batch.flatMap { unsafe $0.contains(buffer) ? $0 : nil }
      unsafe hash(UnsafeRawBufferPointer(rebasing: buffer[..<count]), heldBy: holder)
    }
    byteCount += UInt64(count)
    progress(count)
    return count
  }

  /// Hashes the next bytes: at once, or beside the reading of the ones after them.
  private func hash(_ bytes: UnsafeRawBufferPointer, heldBy batch: LineBatch?) {
    guard hashesBeside() else { return hashing.sync { unsafe hash.update(bytes) } }
    if let batch {
      nonisolated(unsafe) let bytes = unsafe bytes
      return hashing.async(group: batch.readers) { [self] in unsafe hash.update(bytes) }
    }
    copied.wait()
    copy.removeAll()
    unsafe copy.append(copying: bytes)
    hashing.async(group: copied) { [self] in
      unsafe copy.withHeldBytes { unsafe hash.update(UnsafeRawBufferPointer($0)) }
    }
  }

  /// Returns the SHA-256 of all bytes read so far.
  func digest() -> [UInt8] { hashing.sync { hash.digest() } }

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
