import AuditEngine
import AuditReport
import AuditSettings
import Glibc
import Synchronization

/// Ends a run from outside: on the first SIGINT or SIGTERM everything is cancelled and what was
/// written is removed; on the second the process ends at once.
final class RunControl: Sendable {
  private struct State {
    var audit: Audit?
    var report: ReportDirectory?
    var interruption: ExitStatus?
    /// True once the user was told of the interruption.
    var isTold = false
    /// True once what was done is being made to last: signals come too late.
    var isClosed = false
    /// True once nobody is to be interrupted any more.
    var isOver = false
  }

  /// How long an orderly end may take before the process ends all the same, in milliseconds: a
  /// reader may be waiting for a pipe. Nothing is left to clear away then: what is spilled has no
  /// name.
  private static let patience = 1000

  private let state = Mutex(State())

  /// The status to end with after a signal, or nil if none came.
  var interruption: ExitStatus? { state.withLock { $0.interruption } }

  /// Waits for signals from now on, and for those that were held back, on a thread of its own. It
  /// needs no descriptor, of which there may be few.
  func watch() {
    let thread = unsafe Unmanaged.passRetained(self)
    var handle = pthread_t()
    let failure = unsafe pthread_create(
      &handle, nil,
      { control in
        guard let control = unsafe control else { return nil }
        unsafe Unmanaged<RunControl>.fromOpaque(control).takeRetainedValue().waitForSignals()
        return nil
      }, unsafe thread.toOpaque())
    guard failure == 0 else {
      unsafe thread.release()
      // Whoever cannot wait for a signal ends by it.
      return EndSignals.release()
    }
    _ = pthread_detach(handle)
  }

  /// Lets go of the run: on return no other thread holds anything of it.
  func end() {
    state.withLock { state in
      state.audit = nil
      state.report = nil
      state.isOver = true
    }
  }

  /// Says what to cancel; at once where a signal came already.
  func attach(_ audit: Audit) {
    state.withLock { state in
      state.audit = audit
      if state.interruption != nil { audit.cancel() }
    }
  }

  /// Says what to remove; at once where a signal came already.
  func attach(_ report: ReportDirectory) {
    state.withLock { state in
      state.report = report
      if state.interruption != nil { report.abandon() }
    }
  }

  /// Keeps signals from interrupting the run from now on. Returns false where one came already.
  func close() -> Bool {
    state.withLock { state in
      state.isClosed = state.interruption == nil
      return state.isClosed
    }
  }

  /// Says once that the run was interrupted.
  func tell(_ status: ExitStatus) {
    let isFirst = state.withLock { state in
      defer { state.isTold = true }
      return !state.isTold
    }
    guard isFirst else { return }
    let word = status == .terminated ? "terminated" : "interrupted"
    Console.note("\(word): nothing was written")
  }

  private func waitForSignals() {
    while true {
      guard let status = EndSignals.wait(), interrupt(status) else { continue }
      if let second = EndSignals.wait(milliseconds: Self.patience) {
        if !isOver { _exit(second.rawValue) }
      } else if !isOver {
        tell(status)
        _exit(status.rawValue)
      }
    }
  }

  private var isOver: Bool { state.withLock { $0.isOver } }

  /// Cancels the run; false where it is too late for that. Whatever is called is called under the
  /// lock: nothing of the run is held longer than ``end()`` allows.
  private func interrupt(_ status: ExitStatus) -> Bool {
    state.withLock { state in
      guard !state.isOver, !state.isClosed else { return false }
      // A report that is in its place already is whole: the run ends with what it found.
      if state.report?.abandon() == false { return false }
      state.interruption = state.interruption ?? status
      state.audit?.cancel()
      return true
    }
  }
}
