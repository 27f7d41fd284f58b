import Basics
import Glibc

/// The two clocks of a run.
enum Clock {
  /// The milliseconds since 1970 according to the machine.
  static var now: Int64 { read(CLOCK_REALTIME) }

  /// The milliseconds of the monotonic clock.
  static var steady: Int64 { read(CLOCK_MONOTONIC) }

  /// Returns an identifier such as `20260301T120000Z-1f2e3d4c`: the start, and a suffix that
  /// distinguishes it from others in the same second.
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
