import AuditEngine
import AuditReport
import Dispatch
import Synchronization

/// A line on the terminal with the progress of a run, updated several times a second.
final class ProgressLine: Sendable {
  /// The time between two updates.
  private static let interval = DispatchTimeInterval.milliseconds(250)

  /// The timer, until it is stopped. The lock is held while the line is shown or cleared.
  private let timer = Mutex<(any DispatchSourceTimer)?>(nil)

  private let progress: AuditProgress

  private init(_ progress: AuditProgress) {
    self.progress = progress
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
      let text = ProgressText.text(progress)
      Console.showProgress(String(text.prefix(max(1, Console.columns - 1))))
    }
  }
}

enum ProgressText {
  /// Returns the part of a run's phase that is done, and the number of findings so far.
  static func text(_ progress: AuditProgress) -> String {
    let isReading = progress.phase == .reading
    let done =
      isReading
      ? progress.bytesRead.load(ordering: .relaxed) : progress.rowsDone.load(ordering: .relaxed)
    let total =
      isReading
      ? progress.bytesTotal.load(ordering: .relaxed) : progress.rowsTotal.load(ordering: .relaxed)
    let findings = progress.findings.load(ordering: .relaxed)
    func words(_ count: Int) -> String {
      isReading ? size(count) : SummaryNumber.counted(count, "row")
    }
    let verb =
      switch progress.phase {
      case .reading: "reading"
      case .verifying: "verifying"
      case .replays: "looking for replays:"
      case .reporting: "writing"
      }
    return "\(verb) \(words(done))" + (total > 0 ? " of \(words(total))" : "")
      + ", \(SummaryNumber.counted(findings, "finding"))"
  }

  /// Returns a size with one decimal in a suitable unit.
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
}
