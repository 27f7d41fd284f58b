import AuditEngine
import AuditReport
import Dispatch
import Synchronization

/// A line on the terminal with the progress of a run, updated several times a second.
final class ProgressLine: Sendable {
  private static let interval = DispatchTimeInterval.milliseconds(250)

  /// The timer, until it is stopped. The lock is held while the line is shown or cleared.
  private let timer = Mutex<(any DispatchSourceTimer)?>(nil)

  private let progress: AuditProgress
  private let text: Mutex<ProgressText>

  private init(_ progress: AuditProgress) {
    self.progress = progress
    text = Mutex(ProgressText(started: Clock.steady))
  }

  /// Shows a line from now on if standard error is a terminal.
  static func start(_ progress: AuditProgress) -> ProgressLine? {
    guard Console.errorIsTerminal else { return nil }
    let line = ProgressLine(progress)
    line.timer.withLock { timer in
      let source = DispatchSource.makeTimerSource(
        queue: DispatchQueue(label: "attest-audit.progress"))
      source.schedule(deadline: .now() + interval, repeating: interval)
      source.setEventHandler { line.show() }
      source.activate()
      timer = source
    }
    return line
  }

  /// Removes the line. Further calls have no effect.
  func stop() {
    timer.withLock { timer in
      timer?.cancel()
      timer = nil
      Console.clearProgress()
    }
  }

  private func show() {
    timer.withLock { timer in
      guard timer != nil else { return }
      let words = text.withLock { $0.text(progress, now: Clock.steady) }
      Console.showProgress(String(words.prefix(max(1, Console.columns - 1))))
    }
  }
}

struct ProgressText {
  private var phase = AuditProgress.Phase.reading
  private var phaseStarted: Int64

  /// Makes the text. `started` is a time of ``Clock/steady``.
  init(started: Int64) { phaseStarted = started }

  mutating func text(_ progress: AuditProgress, now: Int64) -> String {
    if progress.phase != phase {
      phase = progress.phase
      phaseStarted = now
    }
    let elapsed = max(1, now - phaseStarted)
    let findings = "\(Self.grouped(progress.findings.load(ordering: .relaxed))) findings"
    let isReading = phase == .reading
    let (done, total) =
      isReading
      ? (progress.bytesRead.load(ordering: .relaxed), progress.bytesTotal.load(ordering: .relaxed))
      : (progress.rowsDone.load(ordering: .relaxed), progress.rowsTotal.load(ordering: .relaxed))
    let number = isReading ? Self.size : Self.grouped
    let amount = number(done) + (total > 0 ? " of " + number(total) : "")
    let pace = progress.records.load(ordering: .relaxed) * 1000 / Int(elapsed)
    return [
      "\(word) \(amount)" + (isReading ? "" : " rows"),
      isReading ? "\(Self.grouped(pace)) records/s" : nil, findings,
      Self.left(done: done, of: total, in: elapsed),
    ].compactMap(\.self).joined(separator: ", ")
  }

  private var word: String {
    switch phase {
    case .reading: "reading"
    case .verifying: "verifying"
    case .replays: "looking for replays:"
    case .reporting: "writing"
    }
  }

  /// Returns the time left at the pace so far, or nil if it cannot be estimated yet.
  static func left(done: Int, of total: Int, in elapsed: Int64) -> String? {
    guard total > 0, done > 0, elapsed >= 1000, done <= total else { return nil }
    let seconds = Int(Double(elapsed) * Double(total - done) / Double(done) / 1000)
    switch seconds {
    case ..<60: return "\(seconds) s left"
    case ..<3600: return "\(seconds / 60) min \(seconds % 60) s left"
    default: return "\(seconds / 3600) h \(seconds / 60 % 60) min left"
    }
  }

  static func size(_ bytes: Int) -> String {
    var value = Double(max(0, bytes))
    var units = ["B", "KiB", "MiB", "GiB", "TiB"][...]
    while value >= 1024, units.count > 1 {
      value /= 1024
      units.removeFirst()
    }
    let unit = units.first ?? "B"
    if unit == "B" { return "\(bytes) B" }
    let tenths = Int(value * 10)
    return "\(tenths / 10).\(tenths % 10) \(unit)"
  }

  private static func grouped(_ value: Int) -> String {
    SummaryNumber.grouped(UInt64(max(0, value)))
  }
}
