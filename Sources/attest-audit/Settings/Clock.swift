import Glibc

/// The two clocks of a run.
enum Clock {
  /// Milliseconds since 1970, as the machine believes.
  static var now: Int64 { read(CLOCK_REALTIME) }

  /// Milliseconds of a clock that is never set.
  static var steady: Int64 { read(CLOCK_MONOTONIC) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
