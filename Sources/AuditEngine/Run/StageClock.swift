internal import Glibc
package import Synchronization

/// The processor time of each stage, over all threads, in nanoseconds, taken for each batch.
package final class StageClock: Sendable {
  /// The time of reading, decompressing, and cutting into lines.
  package let reading = Atomic<Int>(0)
  /// The time of parsing, decoding, hashing, verifying attestations, and filling the shuffle.
  package let decoding = Atomic<Int>(0)
  /// The time of checking the signatures of assertions.
  package let verifying = Atomic<Int>(0)
  /// The time of merging by key identifier and judging each key.
  package let judging = Atomic<Int>(0)
  /// The time of merging by clientDataHash and judging each hash.
  package let replaying = Atomic<Int>(0)

  package init() {}

  /// The processor time of the calling thread.
  package static var now: Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}

extension Atomic where Value == Int {
  /// Adds the processor time that the calling thread has taken since `start`.
  func add(since start: Int) {
    add(StageClock.now - start, ordering: .relaxed)
  }
}

/// Live figures of a run, readable from any thread.
package final class AuditProgress: Sendable {
  package enum Phase: Int, Sendable {
    case reading, verifying, replays, reporting
  }
  /// Compressed bytes read so far, and of all inputs whose size is known.
  package let bytesRead = Atomic<Int>(0)
  package let bytesTotal = Atomic<Int>(0)
  package let records = Atomic<Int>(0)
  package let findings = Atomic<Int>(0)
  /// Rows done and to do in the phases after reading.
  package let rowsDone = Atomic<Int>(0)
  package let rowsTotal = Atomic<Int>(0)
  package let clock = StageClock()
  private let phaseValue = Atomic<Int>(0)

  package init() {}

  package var phase: Phase {
    get { Phase(rawValue: phaseValue.load(ordering: .relaxed)) ?? .reading }
    set { phaseValue.store(newValue.rawValue, ordering: .relaxed) }
  }
}
