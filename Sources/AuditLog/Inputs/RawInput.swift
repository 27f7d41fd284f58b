internal import Glibc
internal import OpenSSL

/// An open file or standard input.
struct RawInput: ~Copyable {
  private let descriptor: Int32
  private let isOwned: Bool

  /// Opens what lies at a path, and waits for nobody who would write to it. Nil where it cannot be
  /// opened, with the reason in `errno`.
  init?(path: String) {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
    isOwned = true
  }

  /// Opens the file of a source, and no other; a FIFO that was named itself waits for its writer.
  init(path: String, found: FileIdentity?) throws(ReadFailure) {
    descriptor = try Self.open(path, found)
    isOwned = true
  }

  private static func open(_ path: String, _ found: FileIdentity?) throws(ReadFailure) -> Int32 {
    let wait = found == nil ? 0 : O_NONBLOCK
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | wait)
    guard descriptor >= 0 else { throw ReadFailure(number: errno) }
    guard let found, status(of: descriptor).map({ FileIdentity($0) }) != found else {
      return descriptor
    }
    close(descriptor)
    throw ReadFailure(number: nil)
  }

  /// What fstat(2) tells.
  private static func status(of descriptor: Int32) -> stat? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? status : nil
  }

  /// Standard input.
  init() {
    descriptor = STDIN_FILENO
    isOwned = false
  }

  deinit {
    if isOwned { close(descriptor) }
  }

  /// Reads some bytes; 0 at the end, -1 on an error, with the reason in `errno`.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// What tells later whether the file was touched; nil where it is no regular file. `path` is the
  /// one it was opened by.
  func stamp(path: String) -> FileStamp? {
    Self.status(of: descriptor).flatMap { FileStamp(path: path, $0) }
  }

  /// Goes back to the first byte; false where the input cannot.
  func rewind() -> Bool { lseek(descriptor, 0, SEEK_SET) == 0 }
}

/// Why an input could not be opened or read.
struct ReadFailure: Error {
  /// The system's error number; nil where another file lies in the place of the one that was found.
  var number: Int32?

  /// One clause of English.
  var text: String {
    number.map(ErrorText.describe) ?? "another file lies in its place since it was found"
  }

  /// Whether it is the process that has no descriptor left: no fault of the input.
  var lacksDescriptors: Bool { number == EMFILE || number == ENFILE }
}

/// An input whose bytes are counted, and hashed where that is wanted, as they are read.
final class CountedInput {
  private let input: RawInput
  private let limit: UInt64
  private let progress: (Int) -> Void
  private let isHashed: Bool
  private var hash = SHA256Stream()
  private(set) var byteCount: UInt64 = 0
  /// Whether a read met the end of the input.
  private(set) var isAtEnd = false

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
    isAtEnd = count == 0
    if isHashed { unsafe hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
    byteCount += UInt64(count)
    progress(count)
    return count
  }

  /// Of all bytes read so far.
  func digest() -> [UInt8] { hash.digest() }

  /// ``RawInput/stamp(path:)``.
  func stamp(path: String) -> FileStamp? { input.stamp(path: path) }

  /// Reads the same bytes once more and says whether they still are what they were; false where that
  /// cannot be done, or is not wanted any more.
  func isUnchanged(mustStop: () -> Bool) -> Bool {
    guard isHashed, input.rewind() else { return false }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 64)
    defer { unsafe buffer.deallocate() }
    var again = SHA256Stream()
    var left = byteCount
    while left > 0, !mustStop() {
      let most = Int(clamping: min(left, UInt64(buffer.count)))
      let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<most])
      let count = unsafe input.read(into: piece)
      guard count > 0 else { return false }
      unsafe again.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
      left -= UInt64(count)
    }
    return left == 0 && again.digest() == digest()
  }
}
