import AuditEngine
import AuditReport
import AuditSettings
import Glibc
import Synchronization

/// The end of a run from outside. On the first SIGINT or SIGTERM everything is cancelled and the
/// written files are removed. On the second the process ends at once.
final class RunControl: Sendable {
  private struct State {
    var audit: Audit?
    var report: ReportDirectory?
    var interruption: ExitStatus?
    /// True once the user was informed of the interruption.
    var isTold = false
    /// True once the results are being made permanent, so that signals come too late.
    var isClosed = false
    /// True once the run is not to be interrupted any more.
    var isOver = false
  }

  /// The time that an orderly end may take, in milliseconds. After it the process ends in any case,
  /// since a reader may be waiting for a pipe. Nothing is left to clear away then, because spilled
  /// files have no name.
  private static let patience = 1000

  private let state = Mutex(State())

  /// Carries out a run that signals can end: checks the limits of the process, reads the settings, and turns
  /// errors into those for people.
  static func carryOut(
    _ settings: () throws -> RunSettings, _ body: (RunSettings, RunControl) throws -> ExitStatus
  ) throws -> ExitStatus {
    let control = RunControl()
    control.watch()
    defer { control.end() }
    try ProcessLimits.requireDescriptors()
    let settings = try settings()
    try ProcessLimits.requireSpace(settings)
    do {
      return try body(settings, control)
    } catch {
      if let status = control.interruption {
        control.tell(status)
        return status
      }
      throw CommandError.described(error, state: settings.state?.dir)
    }
  }

  /// The status to end with after a signal, or nil if none came.
  var interruption: ExitStatus? { state.withLock { $0.interruption } }

  /// Waits for signals from now on, and for those that were held back, on a thread of its own. It
  /// needs no descriptor, since few may be left.
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
      // A process that cannot wait for a signal is ended by it.
      return EndSignals.release()
    }
    _ = pthread_detach(handle)
  }

  /// Releases the run. On return no other thread holds any part of it.
  func end() {
    state.withLock { state in
      state.audit = nil
      state.report = nil
      state.isOver = true
    }
  }

  /// Attaches the audit to cancel. Cancels it at once if a signal came already.
  func attach(_ audit: Audit) {
    state.withLock { state in
      state.audit = audit
      if state.interruption != nil { audit.cancel() }
    }
  }

  /// Attaches the report to remove. Removes it at once if a signal came already.
  func attach(_ report: ReportDirectory) {
    state.withLock { state in
      state.report = report
      if state.interruption != nil { report.abandon() }
    }
  }

  /// Keeps signals from interrupting the run from now on. Returns false if one came already.
  func close() -> Bool {
    state.withLock { state in
      state.isClosed = state.interruption == nil
      return state.isClosed
    }
  }

  /// Informs the user once that the run was interrupted.
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

  /// Cancels the run. Returns false if it is too late for that. All calls are made under the lock,
  /// so that no part of the run is held longer than ``end()`` allows.
  private func interrupt(_ status: ExitStatus) -> Bool {
    state.withLock { state in
      guard !state.isOver, !state.isClosed else { return false }
      // A report that is in its place already is whole: the run ends with its results.
      if state.report?.abandon() == false { return false }
      state.interruption = state.interruption ?? status
      state.audit?.cancel()
      return true
    }
  }
}
