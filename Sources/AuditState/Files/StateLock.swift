internal import Basics
internal import Files
internal import Glibc

/// The lock of a state directory: held by one process at a time, from opening to closing, and by
/// nobody once its holder is gone, however it went.
final class StateLock: Sendable {
  /// Milliseconds between two attempts of one who waits.
  private static let pause: Int64 = 50
  private static let limit = 128

  private let file: OpenFile

  /// Takes the lock of `folder`, and writes down who has it `now` (milliseconds since 1970), after
  /// `wait` milliseconds at most. Throws `.locked` or `.cannotWrite`.
  init(_ folder: Folder, wait: Int64, now: Int64) throws(StateError) {
    let file = try folder.create(StateFormat.lock, existing: .kept)
    let end = Self.steady &+ max(wait, 0)
    while try !file.lock() {
      let left = end &- Self.steady
      guard left > 0 else { throw Self.heldError(file, folder) }
      usleep(UInt32(min(left, Self.pause)) * 1000)
    }
    try Self.sign(file, now)
    self.file = file
  }

  deinit {
    // A child that was just forked may hold the file a moment longer; the lock it must not.
    file.unlock()
  }

  /// Writes process and time, in a line, for the next one who finds the lock held.
  private static func sign(_ file: OpenFile, _ now: Int64) throws(StateError) {
    let line = Array("\(getpid()) \(now) \(CivilTime.text(seconds: now / 1000))\n".utf8)
    try file.write(line, at: 0)
    try file.truncate(to: line.count)
  }

  private static func heldError(_ file: OpenFile, _ folder: Folder) -> StateError {
    let text = (try? file.bytes(limit: limit)) ?? []
    let words = String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self).split(separator: " ")
    let pid = words.first.flatMap { Int32($0) }
    let since = words.dropFirst().first.flatMap { Int64($0) }
    var context = "another run has locked the state \(folder.path)"
    if let pid, let since {
      context += ": process \(pid) since \(CivilTime.text(seconds: since / 1000))"
    }
    return StateError(.locked(pid: pid, since: since), context)
  }

  private static var steady: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
