package import Synchronization

/// Live figures of a run, readable from any thread.
package final class AuditProgress: Sendable {
  /// The phase of the run.
  package enum Phase: Int, Sendable {
    case reading, verifying, replays, reporting
  }
  /// Compressed bytes read so far, and of all inputs whose size is known.
  package let bytesRead = Atomic<Int>(0)
  package let bytesTotal = Atomic<Int>(0)
  /// Lines read so far.
  package let records = Atomic<Int>(0)
  package let findings = Atomic<Int>(0)
  /// Rows done and to do in the phases after reading.
  package let rowsDone = Atomic<Int>(0)
  package let rowsTotal = Atomic<Int>(0)
  /// The processor time that each stage took.
  package let clock = StageClock()
  private let phaseValue = Atomic<Int>(0)

  package init() {}

  package var phase: Phase {
    get { Phase(rawValue: phaseValue.load(ordering: .relaxed)) ?? .reading }
    set { phaseValue.store(newValue.rawValue, ordering: .relaxed) }
  }
}
