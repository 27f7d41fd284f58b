internal import CLinux
internal import Glibc

/// An open file. Threads do not disturb each other, but for `append` and `readNext`.
package final class OpenFile: Sendable {
  /// The name in messages.
  package let name: String
  private let descriptor: Int32
  private let isOwned: Bool

  init(descriptor: Int32, name: String, isOwned: Bool = true) {
    self.descriptor = descriptor
    self.name = name
    self.isOwned = isOwned
  }

  deinit {
    if isOwned { close(descriptor) }
  }

  /// Opens a file for reading; `-` is standard input.
  package convenience init(reading path: String) throws(AuditError) {
    let descriptor = path == "-" ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last("cannot read", path) }
    self.init(descriptor: descriptor, name: path)
  }

  /// Opens a file that was found or planned before, and no other, or what is at the path.
  package convenience init(
    path: String, found: FileIdentity?, planned: PlannedFile?
  ) throws(ReadFailure) {
    let wait = found == nil && planned == nil ? 0 : O_NONBLOCK
    let links = planned?.isLink == false ? O_NOFOLLOW : 0
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | wait | links)
    guard descriptor >= 0 else {
      throw ReadFailure(number: planned != nil && errno == ELOOP ? nil : errno)
    }
    self.init(descriptor: descriptor, name: path)
    let isMeant =
      planned.map { $0.isMet(by: status) } ?? found.map { status?.identity == $0 } ?? true
    if !isMeant { throw ReadFailure(number: nil) }
  }

  package static let standardInput = OpenFile(
    descriptor: STDIN_FILENO, name: "standard input", isOwned: false)
  package static let standardOutput = OpenFile(
    descriptor: STDOUT_FILENO, name: "standard output", isOwned: false)
  package static let standardError = OpenFile(
    descriptor: STDERR_FILENO, name: "standard error", isOwned: false)

  /// The path at which it can be opened again, as long as it is open.
  package var reopenedPath: String { "/proc/self/fd/\(descriptor)" }

  /// The facts about the file, or nil, with the reason in `errno`, if the system does not tell.
  package var status: FileStatus? { FileStatus(descriptor: descriptor) }

  package func size() throws(AuditError) -> Int {
    guard let status else { throw .last("cannot look at", name) }
    return Int(clamping: status.size)
  }

  // MARK: Writing

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(AuditError) {
    try writeAll(bytes.count) { done in
      unsafe pwrite(
        descriptor, bytes.baseAddress.unsafelyUnwrapped + done, bytes.count - done, offset + done)
    }
  }

  package func write(_ bytes: [UInt8], at offset: Int) throws(AuditError) {
    unsafe try bytes.span.withUnsafeBytes { (bytes) throws(AuditError) in
      unsafe try write(bytes, at: offset)
    }
  }

  /// Writes all of `bytes` behind what was written last.
  package func append(_ bytes: Span<UInt8>) throws(AuditError) {
    try writeAll(bytes.count) { done in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe Glibc.write(
          descriptor, bytes.baseAddress.unsafelyUnwrapped + done, bytes.count - done)
      }
    }
  }

  private func writeAll(_ count: Int, _ call: (_ done: Int) -> Int) throws(AuditError) {
    FaultPoint.step()
    // Nothing written of more is what a full disk may also look like.
    guard try repeated(count, "cannot write", call) == count else {
      throw AuditError("cannot write", name, ENOSPC)
    }
  }

  /// Calls `call` until so many bytes are done, or no more are. Returns their number.
  private func repeated(
    _ count: Int, _ action: String, _ call: (_ done: Int) -> Int
  ) throws(AuditError) -> Int {
    var done = 0
    while done < count {
      let more = call(done)
      if more < 0, errno == EINTR { continue }
      guard more >= 0 else { throw .last(action, name) }
      if more == 0 { break }
      done += more
    }
    return done
  }

  /// Has the system begin to write the `window`th part of that many bytes, waits for the one before,
  /// and lets go of that one's pages: so a very long file takes no other out of memory.
  package func writeOut(window: Int, bytes: Int) throws(AuditError) {
    let (start, count) = (off_t(window * bytes), off_t(bytes))
    try synchronize(start, count, ATTEST_SYNC_START)
    guard window > 0 else { return }
    try synchronize(start - count, count, ATTEST_SYNC_WHOLE)
    _ = posix_fadvise(descriptor, start - count, count, POSIX_FADV_DONTNEED)
  }

  private func synchronize(_ start: off_t, _ count: off_t, _ flags: UInt32) throws(AuditError) {
    while sync_file_range(descriptor, start, count, flags) != 0 {
      if errno == EINTR { continue }
      // What is told here is not told again by fsync.
      guard ![EIO, ENOSPC, EDQUOT].contains(errno) else { throw .last("cannot write", name) }
      return
    }
  }

  /// Gives the space of whole pages of the file and of memory back, where the file system can.
  /// `range` begins and ends with a page; it reads as zeros then.
  func giveBack(_ range: Range<Int>) {
    _ = fallocate(descriptor, ATTEST_FALLOCATE_HOLE, off_t(range.lowerBound), off_t(range.count))
  }

  /// Cuts the file off behind `size` bytes.
  package func truncate(to size: Int) throws(AuditError) {
    FaultPoint.step()
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw .last("cannot write", name) }
  }

  /// Sets who may read and write the file.
  package func allow(_ mode: UInt32) throws(AuditError) {
    guard fchmod(descriptor, mode) == 0 else { throw .last("cannot write", name) }
  }

  /// Sends what was written to the disk. Kinds of files that cannot be flushed count as flushed.
  package func flush() throws(AuditError) {
    FaultPoint.step()
    while fsync(descriptor) != 0 {
      if errno == EINTR { continue }
      guard errno == EINVAL || errno == EROFS else { throw .last("cannot flush", name) }
      return
    }
  }

  // MARK: Reading

  /// Fills `buffer` with the bytes at `offset` and returns how many there were before the end.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(AuditError) -> Int {
    try repeated(buffer.count, "cannot read") { done in
      unsafe pread(
        descriptor, buffer.baseAddress.unsafelyUnwrapped + done, buffer.count - done, offset + done)
    }
  }

  package func bytes(at offset: Int = 0, limit: Int) throws(AuditError) -> [UInt8] {
    var failure: AuditError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      do throws(AuditError) {
        count = unsafe try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Reads the next bytes of a file or pipe, at most `limit`, none at the end.
  package func readNext(limit: Int) throws(AuditError) -> [UInt8] {
    var number: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      let result = unsafe readSome(into: UnsafeMutableRawBufferPointer(buffer))
      if result < 0 { number = errno }
      count = max(0, result)
    }
    guard number == 0 else { throw AuditError("cannot read", name, number) }
    return bytes
  }

  /// Fills `buffer` with the next bytes and returns how many there were before the end.
  package func readNext(into buffer: UnsafeMutableRawBufferPointer) throws(AuditError) -> Int {
    try repeated(buffer.count, "cannot read") { done in
      unsafe Glibc.read(
        descriptor, buffer.baseAddress.unsafelyUnwrapped + done, buffer.count - done)
    }
  }

  /// Reads some of the next bytes. Returns their number, or -1 with the reason in `errno`.
  package func readSome(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// Goes back to the first byte. Returns false if the file cannot.
  package func rewind() -> Bool { lseek(descriptor, 0, SEEK_SET) == 0 }

  /// Tells the system that the file is read from front to back.
  package func readsAhead() {
    _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
  }

  // MARK: The lock

  /// Takes the file's lock, which one open file can hold. Returns false if another has it.
  package func lock() throws(AuditError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      guard errno == EWOULDBLOCK else { throw .last("cannot lock", name) }
      return false
    }
    return true
  }

  /// Gives the lock back, also while a child that was just forked has the file open.
  package func unlock() { _ = flock(descriptor, LOCK_UN) }
}

/// The three streams that every process begins with.
package enum StandardStreams {
  /// Keeps files from becoming a closed standard stream, by opening what gives errors there.
  package static func fillClosed() {
    for (stream, flags) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ]
    where fcntl(stream, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", flags)
    }
  }
}
