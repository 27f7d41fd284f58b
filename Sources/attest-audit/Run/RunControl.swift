import AuditEngine
import AuditReport
import AuditSettings
import Dispatch
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
  }

  /// How long an orderly end may take before the process ends all the same, in milliseconds: a
  /// reader may be waiting for a pipe. Nothing is left to clear away then: what is spilled has no
  /// name.
  private static let patience = 1000

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "attest-audit.signals")

  /// The status to end with after a signal; nil where none came.
  var interruption: ExitStatus? { state.withLock { $0.interruption } }

  /// Watches for signals from now on; the sources live as long as what is returned.
  func watch() -> [any DispatchSourceSignal] {
    [(SIGINT, ExitStatus.interrupted), (SIGTERM, .terminated)].map { number, status in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { [self] in interrupt(status) }
      source.activate()
      return source
    }
  }

  /// Says what to cancel; at once where a signal came already.
  func attach(_ audit: Audit) {
    let isLate = state.withLock { state in
      state.audit = audit
      return state.interruption != nil
    }
    if isLate { audit.cancel() }
  }

  /// Says what to remove; at once where a signal came already.
  func attach(_ report: ReportDirectory) {
    let isLate = state.withLock { state in
      state.report = report
      return state.interruption != nil
    }
    if isLate { report.abandon() }
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

  private func interrupt(_ status: ExitStatus) {
    let (isFirst, isClosed, audit, report) = state.withLock { state in
      let isFirst = state.interruption == nil
      if isFirst, !state.isClosed { state.interruption = status }
      return (isFirst, state.isClosed, state.audit, state.report)
    }
    guard !isClosed else { return }
    guard isFirst else { _exit(status.rawValue) }
    // A report that is in its place already is whole: the run ends with what it found.
    if report?.abandon() == false {
      state.withLock { $0.interruption = nil }
      return
    }
    audit?.cancel()
    queue.asyncAfter(deadline: .now() + .milliseconds(Self.patience)) {
      self.tell(status)
      _exit(status.rawValue)
    }
  }
}
