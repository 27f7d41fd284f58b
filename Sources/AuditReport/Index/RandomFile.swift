internal import Glibc

/// A file of a report that is read at any place.
struct RandomFile: ~Copyable {
  let path: String
  let size: UInt64
  private let descriptor: Int32

  /// Opens a regular file.
  init(folder: String, name: String) throws(ReportError) {
    path = "\(folder)/\(name)"
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw .unreadable(path) }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw ReportError(.invalid, "\(path) is no regular file")
    }
    size = UInt64(facts.st_size)
  }

  deinit { close(descriptor) }

  /// Returns `count` bytes from `offset` on, which have to lie within the file.
  func read(at offset: UInt64, count: Int) throws(ReportError) -> [UInt8] {
    guard count >= 0, offset <= size, UInt64(count) <= size - offset else {
      throw ReportError(.invalid, "\(path) is damaged")
    }
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let read = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(
          descriptor, buffer.baseAddress.unsafelyUnwrapped + done, count - done,
          off_t(offset) + off_t(done))
      }
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { throw .system("cannot read", path) }
      guard read > 0 else { throw ReportError(.invalid, "\(path) ends too early") }
      done += read
    }
    return bytes
  }
}
