import AppAttest
import AuditEngine
import AuditReport
import AuditSettings
import AuditState
import Logging

/// A timeline over logs. It is an audit that leaves no report and does not change a state, so that
/// a signal may end it anywhere.
struct TimelineAudit {
  let settings: RunSettings

  /// Returns the timeline, and whether an input was audited only in part.
  func timeline(_ query: TimelineQuery) throws -> (timeline: Timeline, isPartial: Bool) {
    let logger = TerminalLog.logger(settings.report.logLevel)
    for notice in settings.notices { logger.notice("\(notice)") }
    var configuration = settings.configuration
    configuration.index = true
    configuration.events = query.choice
    return try run(
      configuration, notice: { logger.notice("\($0)") },
      then: { result in
        (
          try Timeline(result, query, reorderTolerance: configuration.detection.reorderTolerance),
          result.isPartial(above: configuration.limits.rejectRate)
        )
      })
  }

  /// Returns the keys of the logs in a range.
  func keys(in range: ClosedRange<Digest256>) throws -> [Digest256] {
    var keys: [Digest256] = []
    try run(
      settings.configuration, notice: { _ in },
      then: { result in
        try result.forEachKey { if range.contains($0.keyID) { keys.append($0.keyID) } }
      })
    return keys
  }

  private func run<Value>(
    _ configuration: AuditConfiguration, notice: @escaping @Sendable (String) -> Void,
    then body: (any AuditResult) throws -> Value
  ) throws -> Value {
    var configuration = configuration
    configuration.verdicts = false
    // The state of earlier nights is read, and not changed.
    let session = try StateSession.reading(settings, id: "timeline")
    session?.configure(&configuration)
    let progress = AuditProgress()
    let line = Console.errorIsTerminal ? ProgressLine(progress) : nil
    line?.start()
    defer { line?.stop() }
    do {
      let audit = try Audit(configuration: configuration, progress: progress, notice: notice)
      return try body(try audit.run())
    } catch let error as AuditError {
      throw CommandError(.failure, error.context)
    }
  }
}
