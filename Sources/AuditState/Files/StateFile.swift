internal import AuditEngine
internal import AuditLog
internal import Glibc

/// An open file of the state, read and written at offsets; closed when it goes.
final class StateFile: Sendable {
  /// Its path in the state directory, for messages.
  let name: String
  private let descriptor: Int32

  /// Takes over an open descriptor.
  init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  deinit {
    close(descriptor)
  }

  /// The bytes in it.
  func size() throws(StateError) -> Int {
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else { throw .system("cannot look at", name) }
    return Int(facts.st_size)
  }

  /// Writes all of `bytes` at `offset`.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StateError) {
    FaultPoint.step()
    var done = 0
    while done < bytes.count {
      let count = unsafe pwrite(
        descriptor, bytes.baseAddress.unsafelyUnwrapped + done, bytes.count - done, offset + done)
      if count < 0, errno == EINTR { continue }
      // Zero bytes written of more is what a full disk may also look like.
      guard count > 0 else { throw .system("cannot write", name, count < 0 ? errno : ENOSPC) }
      done += count
    }
  }

  /// Fills `buffer` with the bytes at `offset`.
  ///
  /// - Throws: `.damaged` where the file ends before, or the disk does not give them.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StateError) {
    var done = 0
    while done < buffer.count {
      let count = unsafe pread(
        descriptor, buffer.baseAddress.unsafelyUnwrapped + done, buffer.count - done,
        offset + done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw .damaged(name, count < 0 ? ErrorText.describe(errno) : "it ends too early")
      }
      done += count
    }
  }

  /// Sends what was written to the disk.
  func flush() throws(StateError) {
    FaultPoint.step()
    while fsync(descriptor) != 0 {
      if errno == EINTR { continue }
      throw .system("cannot flush", name)
    }
  }

  /// Tells the system that the file is read from front to back.
  func readsAhead() {
    _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
  }
}
