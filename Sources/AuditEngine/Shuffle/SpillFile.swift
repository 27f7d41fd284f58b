internal import AuditLog
internal import Glibc
internal import Synchronization

/// A temporary file for sorted runs: without a name from the start, so that nothing is left behind
/// however the process ends.
final class SpillFile: Sendable {
  private let folder: String
  private let descriptor = Mutex<Int32>(-1)
  private let end = Atomic<Int>(0)

  /// Nothing is created before the first byte is written.
  init(folder: String) {
    self.folder = folder
  }

  deinit {
    let descriptor = descriptor.withLock { $0 }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Bytes written so far.
  var size: Int { end.load(ordering: .relaxed) }

  /// Sets `count` bytes of the file aside and returns the offset of the first.
  func reserve(_ count: Int) -> Int {
    end.add(count, ordering: .relaxed).oldValue
  }

  /// Writes all of `bytes` at `offset`.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(AuditError) {
    let descriptor = try opened()
    var done = 0
    while done < bytes.count {
      let count = unsafe pwrite(
        descriptor, bytes.baseAddress.unsafelyUnwrapped + done, bytes.count - done, offset + done)
      if count < 0 {
        if errno == EINTR { continue }
        throw failure("cannot write to", errno)
      }
      done += count
    }
  }

  /// Fills `buffer` with the bytes at `offset`.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(AuditError) {
    let descriptor = try opened()
    var done = 0
    while done < buffer.count {
      let count = unsafe pread(
        descriptor, buffer.baseAddress.unsafelyUnwrapped + done, buffer.count - done,
        offset + done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("cannot read from", count < 0 ? errno : EIO) }
      done += count
    }
  }

  private func opened() throws(AuditError) -> Int32 {
    var code: Int32 = 0
    let result = descriptor.withLock { descriptor in
      if descriptor < 0 { descriptor = Self.create(in: folder) }
      code = errno
      return descriptor
    }
    guard result >= 0 else { throw failure("cannot create a file in", code) }
    return result
  }

  /// A file without a name; where the file system has no such thing, its name is taken away.
  private static func create(in folder: String) -> Int32 {
    // O_TMPFILE, which the module map does not carry over (asm-generic/fcntl.h).
    let temporary: Int32 = 0o20_000_000 | O_DIRECTORY
    let descriptor = unsafe open(folder, temporary | O_RDWR | O_CLOEXEC, 0o600)
    if descriptor >= 0 { return descriptor }
    var template = Array("\(folder)/attest-audit.XXXXXX".utf8CString)
    let named = unsafe mkstemp(&template)
    guard named >= 0 else { return named }
    unsafe unlink(template)
    _ = fcntl(named, F_SETFD, FD_CLOEXEC)
    return named
  }

  private func failure(_ what: String, _ number: Int32) -> AuditError {
    AuditError(
      .temporaryStorage(number),
      "\(what) the temporary folder \(folder): \(ErrorText.describe(number))")
  }
}
