import AuditSettings
import Glibc

/// SIGINT and SIGTERM. They are held back from the first moment of the process on, and then either
/// waited for or accepted.
enum EndSignals {
  /// Keeps the signals waiting, also for threads that are made later.
  static func hold() { change(SIG_BLOCK) }

  /// Lets the signals end the process, including those that are waiting.
  static func release() { change(SIG_UNBLOCK) }

  /// Waits for a signal that is held back.
  ///
  /// - Parameter milliseconds: The time to wait, or nil to wait for ever.
  /// - Returns: The status to end with, or nil if none came in time.
  static func wait(milliseconds: Int? = nil) -> ExitStatus? {
    var set = set
    while true {
      var number: Int32 = -1
      if let milliseconds {
        var time = timespec(
          tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        unsafe number = sigtimedwait(&set, nil, &time)
      } else {
        unsafe number = sigwaitinfo(&set, nil)
      }
      switch number {
      case SIGINT: return .interrupted
      case SIGTERM: return .terminated
      default:
        if milliseconds != nil, errno == EAGAIN { return nil }
      }
    }
  }

  private static func change(_ how: Int32) {
    var set = set
    unsafe _ = pthread_sigmask(how, &set, nil)
  }

  private static var set: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGINT)
    unsafe sigaddset(&set, SIGTERM)
    return set
  }
}
