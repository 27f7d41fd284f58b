#if DEBUG
  internal import Glibc
  internal import Synchronization
#endif

/// The steps by which a run changes the disk, for tests: where `ATTEST_AUDIT_TEST_KILL` is a number
/// N, the process kills itself before its Nth step. Release builds do not look at it.
package enum FaultPoint {
  #if DEBUG
    private static let last: Int? = {
      guard let text = unsafe getenv("ATTEST_AUDIT_TEST_KILL") else { return nil }
      return Int(unsafe String(cString: text))
    }()
    private static let taken = Atomic<Int>(0)
  #endif

  /// Counts a step: call it before each write, flush, rename, removal and statement.
  @inline(__always)
  package static func step() {
    #if DEBUG
      guard let last else { return }
      if taken.add(1, ordering: .relaxed).newValue == last {
        kill(getpid(), SIGKILL)
        // A signal to oneself is delivered before kill(2) returns; not to another thread's work.
        while true { pause() }
      }
    #endif
  }
}
