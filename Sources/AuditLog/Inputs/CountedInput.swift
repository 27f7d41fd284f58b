internal import Basics
internal import Dispatch
internal import Files
internal import Glibc
internal import OpenSSL

/// An input whose bytes are counted, and hashed and summed where that is wanted, as they are read.
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
  /// The sums of the bytes read so far, or nil if they are not wanted.
  private(set) var sums: StreamSums?
  private(set) var byteCount: UInt64 = 0
  private(set) var isAtEnd = false

  /// Makes a counter of an input, of all of it or of its first `limit` bytes.
  init(
    _ input: OpenFile, limit: UInt64? = nil, isHashed: Bool, isSummed: Bool = false,
    hashesBeside: @escaping () -> Bool = { false },
    progress: @escaping (Int) -> Void
  ) {
    self.input = input
    self.isHashed = isHashed
    sums = isSummed ? StreamSums() : nil
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
    unsafe sums?.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
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

  /// Returns the stamp of the file, which was opened by `path`, or nil if it is not a regular file.
  func stamp(path: String) -> FileStamp? { input.stamp(path: path) }

  /// Returns whether the same bytes are read again. False also if that is impossible or not wanted.
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
