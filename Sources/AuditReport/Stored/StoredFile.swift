internal import AppAttest
internal import Glibc
internal import OpenSSL

/// A file of a report that is there already, while it is read from its beginning to its end.
struct StoredFile: ~Copyable {
  /// Bytes read at once.
  private static let chunkBytes = 1 << 20
  /// The longest line taken, in bytes: far more than the longest line of a log can become.
  private static let lineLimit = 256 << 20

  let path: String
  /// Its permissions.
  let mode: UInt32
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  private(set) var lineNumber: UInt64 = 0

  /// Opens a regular file.
  init(folder: String, name: String) throws(ReportError) {
    let path = "\(folder)/\(name)"
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard opened >= 0 else { throw .unreadable(path) }
    var facts = stat()
    guard unsafe fstat(opened, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw ReportError(.invalid, "\(path) is no regular file")
    }
    self.path = path
    mode = facts.st_mode & 0o777
    descriptor = opened
  }

  deinit { close(descriptor) }

  /// Returns the next bytes, or none at the end.
  mutating func next() throws(ReportError) -> [UInt8] {
    if start < buffer.count {
      defer { forget() }
      return Array(buffer[start...])
    }
    return try read()
  }

  /// Returns the next line without its end; nil at the end of the file. Lines end with LF or CR LF.
  mutating func nextLine() throws(ReportError) -> ArraySlice<UInt8>? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        let line = buffer[start..<end]
        start = end + 1
        lineNumber += 1
        return line.last == 0x0D ? line.dropLast() : line
      }
      if isAtEnd {
        guard start < buffer.count else { return nil }
        let line = buffer[start...]
        start = buffer.count
        lineNumber += 1
        return line
      }
      guard buffer.count - start <= Self.lineLimit else {
        throw ReportError(.invalid, "\(path): line \(lineNumber + 1) is too long")
      }
      buffer.removeFirst(start)
      start = 0
      searched = buffer.count
      let bytes = try read()
      if bytes.isEmpty { isAtEnd = true } else { buffer += bytes }
    }
  }

  /// Returns the whole file, which may have at most `limit` bytes.
  consuming func whole(limit: Int) throws(ReportError) -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let bytes = try next()
      if bytes.isEmpty { return all }
      all += bytes
      guard all.count <= limit else { throw ReportError(.invalid, "\(path) is too long") }
    }
  }

  private mutating func forget() {
    buffer.removeAll(keepingCapacity: true)
    start = 0
  }

  private mutating func read() throws(ReportError) -> [UInt8] {
    let descriptor = descriptor
    var count = 0
    var number: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { target, filled in
      repeat {
        count = unsafe Glibc.read(descriptor, target.baseAddress, Self.chunkBytes)
        number = errno
      } while count < 0 && number == EINTR
      filled = max(0, count)
    }
    guard count >= 0 else { throw .system("cannot read", path, number) }
    return bytes
  }
}

extension ReportError {
  /// The error of a file that cannot be opened.
  static func unreadable(_ path: String, _ number: Int32 = errno) -> ReportError {
    number == ENOENT || number == ENOTDIR || number == ELOOP
      ? ReportError(.invalid, "\(path) is not there") : .system("cannot read", path, number)
  }
}
