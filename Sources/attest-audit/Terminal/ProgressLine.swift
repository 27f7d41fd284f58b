import AuditEngine
import Dispatch
import Synchronization

/// A line on the terminal with the progress of a run. It is updated several times a second until it
/// is stopped.
final class ProgressLine: Sendable {
  /// The time between two updates, in milliseconds.
  private static let interval = 250

  /// The timer, until it is stopped. The lock is held while the line is shown or cleared.
  private let timer: Mutex<(any DispatchSourceTimer)?>

  private let progress: AuditProgress
  private let text: Mutex<ProgressText>

  init(_ progress: AuditProgress) {
    self.progress = progress
    text = Mutex(ProgressText(started: Clock.steady))
    timer = Mutex(nil)
  }

  /// Shows the line from now on.
  func start() {
    timer.withLock { timer in
      let source = DispatchSource.makeTimerSource(
        queue: DispatchQueue(label: "attest-audit.progress"))
      source.schedule(
        deadline: .now() + .milliseconds(Self.interval), repeating: .milliseconds(Self.interval))
      source.setEventHandler { [self] in show() }
      source.activate()
      timer = source
    }
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
