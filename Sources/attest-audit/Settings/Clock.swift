import Basics
import Glibc

/// The two clocks of a run.
enum Clock {
  /// Milliseconds since 1970, as the machine believes.
  static var now: Int64 { read(CLOCK_REALTIME) }

  /// Milliseconds of a clock that is never set.
  static var steady: Int64 { read(CLOCK_MONOTONIC) }

  /// Returns `20260301T120000Z-1f2e3d4c`: when something began, and what tells it from all else of that
  /// second.
  static func identifier(_ started: Int64) -> String {
    let time = CivilTime(milliseconds: started).text.prefix(19).filter { $0 != "-" && $0 != ":" }
    let random = String(UInt32.random(in: 0...UInt32.max), radix: 16).zeroPadded(to: 8)
    return "\(time)Z-\(random)"
  }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
