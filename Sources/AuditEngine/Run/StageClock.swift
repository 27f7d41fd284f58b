internal import Glibc
package import Synchronization

/// The processor time that each stage of a run has taken, over all threads, in nanoseconds. Taken
/// once for each batch or block, so that it costs nothing for each record.
package final class StageClock: Sendable {
  /// Reading, decompressing, cutting into lines.
  package let reading = Atomic<Int>(0)
  /// Parsing, decoding, hashing, verifying attestations, filling the shuffle.
  package let decoding = Atomic<Int>(0)
  /// Checking the signatures of assertions.
  package let verifying = Atomic<Int>(0)
  /// Merging by key identifier and judging each key.
  package let judging = Atomic<Int>(0)
  /// Merging by clientDataHash and judging each hash.
  package let replaying = Atomic<Int>(0)
  /// Of `decoding`: verifying attestations.
  package let attesting = Atomic<Int>(0)
  /// Of all of these, what no number of threads makes shorter: the join by device, and the longest
  /// ranges of keys and of hashes.
  package let alone = Atomic<Int>(0)

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
