internal import AuditEngine
internal import Glibc

/// The lock of a state directory: held by one process at a time, from opening to closing, and by
/// nobody once its holder is gone, however it went.
final class StateLock: Sendable {
  /// Milliseconds between two attempts of one who waits.
  private static let pause: Int64 = 50
  /// The longest content that is read.
  private static let limit = 128

  private let descriptor: Int32

  /// Takes the lock of `folder`, and writes down who has it: `now` is milliseconds since 1970.
  ///
  /// - Parameter wait: how long to try, in milliseconds.
  /// - Throws: `.locked`, `.cannotWrite`.
  init(_ folder: StateFolder, wait: Int64, now: Int64) throws(StateError) {
    let path = folder.file(StateFormat.lock)
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system("cannot open", path) }
    do throws(StateError) {
      let end = Self.steady &+ max(wait, 0)
      while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        switch errno {
        case EINTR: continue
        case EWOULDBLOCK:
          let left = end &- Self.steady
          guard left > 0 else { throw Self.heldError(descriptor, folder) }
          usleep(UInt32(min(left, Self.pause)) * 1000)
        default: throw .system("cannot lock", path)
        }
      }
      try Self.sign(descriptor, path, now)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit {
    // A child that was just forked may hold the file a moment longer; the lock it must not.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Process and time, in a line: what the next one reads who finds the lock held.
  private static func sign(_ descriptor: Int32, _ path: String, _ now: Int64) throws(StateError) {
    FaultPoint.step()
    let line = Array("\(getpid()) \(now) \(TimeText.utc(now))\n".utf8)
    let written = unsafe line.withUnsafeBytes {
      unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0)
    }
    guard written == line.count, ftruncate(descriptor, off_t(line.count)) == 0 else {
      throw .system("cannot write", path, written < 0 ? errno : ENOSPC)
    }
  }

  private static func heldError(_ descriptor: Int32, _ folder: StateFolder) -> StateError {
    let text = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      count = max(0, unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0))
    }
    let words = String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self).split(separator: " ")
    let pid = words.first.flatMap { Int32($0) }
    let since = words.dropFirst().first.flatMap { Int64($0) }
    var context = "another run holds the state \(folder.path)"
    if let pid, let since { context += ": process \(pid) since \(TimeText.utc(since))" }
    return StateError(.locked(pid: pid, since: since), context)
  }

  /// Milliseconds of a clock that is never set.
  private static var steady: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
