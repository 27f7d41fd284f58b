import AuditEngine
import AuditLog
import AuditReport
import AuditSettings
import AuditState
import Files
import Glibc
import Synchronization

/// The end of a run from outside: the first SIGINT or SIGTERM cancels all, the second ends at once.
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

  /// The milliseconds for an orderly end. Then the process ends: a reader may wait for a pipe.
  private static let patience = 1000

  private let state = Mutex(State())

  /// Carries out a run that signals can end, with its settings and limits, and errors for people.
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

  /// Waits for signals, also those held back, on a thread of its own, which needs no descriptor.
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

  /// Attaches the audit to cancel, or lets go of the last one. Cancels it at once if a signal came already.
  func attach(_ audit: Audit?) {
    state.withLock { state in
      state.audit = audit
      if state.interruption != nil { audit?.cancel() }
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

  /// Cancels the run, under the lock so that ``end()`` holds. Returns false if it is too late.
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

/// SIGINT and SIGTERM, held back from the start, then waited for or accepted.
enum EndSignals {
  /// Keeps the signals waiting, also for threads that are made later.
  static func hold() { change(SIG_BLOCK) }

  /// Lets the signals end the process, including those that are waiting.
  static func release() { change(SIG_UNBLOCK) }

  /// Waits for a signal for some milliseconds or for ever. Returns the status, or nil if none came.
  static func wait(milliseconds: Int? = nil) -> ExitStatus? {
    var set = set
    while true {
      var number: Int32 = -1
      if let milliseconds {
        var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        unsafe number = sigtimedwait(&set, nil, &time)
      } else {
        unsafe number = sigwaitinfo(&set, nil)
      }
      switch number {
      case SIGINT: return .interrupted
      case SIGTERM: return .terminated
      default: if milliseconds != nil, errno == EAGAIN { return nil }
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

/// The limits of the process that a run needs to be higher.
enum ProcessLimits {
  /// Throws if the process may have too little address space for a run with these settings.
  static func requireSpace(_ settings: RunSettings) throws(CommandError) {
    try requireSpace(memory: settings.configuration.limits.memory)
  }

  /// Throws if there may be too little address space: threads that cannot start are waited for.
  static func requireSpace(memory: Int = Machine.leastMemory) throws(CommandError) {
    let (space, needed) = (Machine.space, Machine.fixedSpace + memory)
    guard space < needed else { return }
    throw CommandError(
      .failure,
      "the process may use \(space >> 20) MiB of address space, and a run with a memory of "
        + "\(memory >> 20) MiB needs \(needed >> 20) MiB or more",
      hint: "use ulimit -v \(needed >> 10), set LimitAS= of the service, or use less with --memory")
  }

  private static let leastDescriptors: rlim_t = 24

  /// Raises the limit as far as the system allows. Throws if that is too few for a run.
  static func requireDescriptors() throws(CommandError) {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(7), &limit) == 0 else { return }
    if limit.rlim_cur < limit.rlim_max {
      var wider = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
      if unsafe setrlimit(__rlimit_resource_t(7), &wider) == 0 { limit = wider }
    }
    guard limit.rlim_cur < leastDescriptors else { return }
    throw CommandError(
      .cannotWrite,
      "the process may have \(limit.rlim_cur) open files, and a run may need \(leastDescriptors)",
      hint: "use ulimit -n \(leastDescriptors), or set LimitNOFILE= of the service")
  }
}

extension CommandError {
  /// Returns the error of a failed run in a form for people. `state` is the state's folder as the user named it.
  static func described(_ error: any Error, state: String?) -> any Error {
    (error as? AuditError).map { CommandError($0, path: state ?? "") } ?? error
  }

  /// Makes the error of an audit, or of a command that could not use the state at `path`.
  init(_ error: AuditError, path: String) {
    let (status, hint) = Self.advice(error.code, state: ShellText.quoted(path))
    self.init(status, error.context, hint: hint)
  }

  /// Returns the status of an error, and what to do next. `state` is the state's folder for a shell.
  private static func advice(
    _ code: AuditError.Code, state: String
  ) -> (status: ExitStatus, hint: String?) {
    switch code {
    case .temporaryStorage: (.cannotWrite, "use --temp-dir to name a folder with more space")
    case .inputChanged:
      (.failure, "run again, or use --settle DURATION for files that were just changed")
    case .damaged: (.failure, "run " + ShellText.command("attest-audit state verify \(state)"))
    case .otherFormat(let version):
      (
        .failure,
        version > StateFormat.version
          ? "use the program that wrote it, or a newer one"
          : "use the program that wrote it, or name another folder: audit --state DIR makes a new state"
      )
    case .missing: (.failure, "name the folder of a state; audit --state DIR makes one")
    case .exposed:
      (
        .failure,
        "use " + ShellText.command("chmod go-w \(state)")
          + ", and run as the owner of the folder: runuser -u OWNER -- attest-audit …"
      )
    case .locked: (.locked, "wait for it longer with --wait-lock, for example --wait-lock 10m")
    case .notAState:
      (
        .usage,
        "name the folder of a state, or for a new one a folder that is empty or does not exist"
      )
    case .noGeneration:
      (.usage, "state info names those that can; state.generations is their number")
    case .noFolder(let folder):
      (.cannotWrite, "make it: " + ShellText.command("mkdir -p \(ShellText.quoted(folder))"))
    case .exists: (.cannotWrite, "use --overwrite to replace the earlier report")
    case .notAReport: (.cannotWrite, "name a folder that does not exist")
    case .invalid: (.invalidFile, "name a complete report folder, as audit wrote it")
    case .noIndex:
      (
        .invalidFile,
        "audit --index writes one (report.index); without --report, timeline reads logs: "
          + "name them, or a --pipeline FILE"
      )
    case .trustAnchor: (.invalidFile, nil)
    case .tooFewDescriptors: (.cannotWrite, "allow more with ulimit -n or LimitNOFILE=")
    case .memory: (.failure, "allow more with ulimit -v, or use less with --memory and --jobs")
    case .brokenStream: (.failure, "check the process that wrote it: it failed or was ended")
    case .otherSettings:
      (.invalidFile, "use the same pipeline file, flags and program for all stages")
    case .file, .full: (.cannotWrite, nil)
    case .cancelled, .inconsistent: (.failure, nil)
    }
  }
}
