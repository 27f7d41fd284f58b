import AuditEngine
import AuditLog
import AuditReport
import AuditSettings
import AuditState
import Files

/// The state of one run. It is opened before the run, and advanced by it as a whole or not at all.
final class StateSession: Sendable {
  let directory: StateDirectory
  let run: StateTransaction
  private let settings: StateSettings
  private let startedAt: Int64
  private let facts: TransactionFacts
  private let ledger: any InputLedger

  /// Opens the state and starts a run of that `id`, `now` (milliseconds since 1970) and `report`.
  init(
    _ settings: StateSettings, id: String, day: String, now: Int64, report: String?
  ) throws(StateError) {
    self.settings = settings
    startedAt = now
    directory = try StateDirectory.open(
      path: settings.dir, mode: settings.mode, wait: settings.waitLock, now: now,
      reports: report.map { PathText.split($0).folder })
    facts = TransactionFacts(
      id: id, day: day, startedAt: now, window: settings.window,
      pendingFor: settings.pendingFor, generations: settings.generations)
    run = try directory.beginRun(facts)
    ledger = try directory.ledger(without: run.forgotten)
  }

  /// Opens the state that the settings name, if any, for a run that does not change it.
  static func reading(_ settings: RunSettings, id: String) throws(CommandError) -> StateSession? {
    guard let state = settings.state else { return nil }
    do throws(StateError) {
      return try reading(state, id: id, day: settings.configuration.day, now: Clock.now)
    } catch {
      throw CommandError(error, path: state.dir)
    }
  }

  static func reading(
    _ settings: StateSettings, id: String = "", day: String = "", now: Int64
  ) throws(StateError) -> StateSession {
    var settings = settings
    settings.mode = .reference
    return try StateSession(settings, id: id, day: day, now: now, report: nil)
  }

  /// Starts another run that only reads the state, as it was when this one started.
  func beginReading() throws(StateError) -> StateTransaction { try directory.beginRun(facts) }

  var history: RunMemory { run.history }

  /// Gives the audit the memory of earlier runs, and makes it account for its inputs.
  func configure(_ configuration: inout AuditConfiguration) {
    configuration.history = run.history
    configuration.accounting = InputAccounting(
      ledger: ledger, settle: settings.settle, now: startedAt)
  }

  /// Prepares the state. Above `rejectRate` of unreadable lines, an input is another log.
  func prepare(_ result: any AuditResult, newFindings: UInt64, rejectRate: Double) throws {
    let totals = result.totals
    var committed = CommittedTotals()
    committed.lines = totals.lines
    committed.records = totals.attestations + totals.assertions + totals.challenges
    committed.rejects = totals.unreadable
    committed.findings = totals.findings
    committed.newFindings = newFindings
    var outcome = TransactionOutcome(
      sources: result.sources, inputs: [], finishedAt: Clock.now, totals: committed)
    if let accounted = result.accounted {
      outcome.lineKey = accounted.key
      // An input that is another log is read again by the next run: nothing that is kept of it counts.
      let others = accounted.otherLogs(result.inputs, from: result.firstSource, above: rejectRate)
      outcome.inputs = accounted.entries.filter { !others.contains($0.input.source) }
      outcome.explained =
        accounted.explained
        + others.sorted().map {
          ReadInputs.Explained(source: $0, superseded: [RunMemory.allLines], repaired: [])
        }
    }
    try run.prepare(outcome)
  }

  func advance() throws(StateError) {
    try run.commit()
    run.finish()
  }
}
