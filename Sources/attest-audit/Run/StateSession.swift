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

  /// Opens the state that the settings name and starts a run with it.
  ///
  /// - `id`: `summary.json`'s `run.id`.
  /// - `now`: milliseconds since 1970.
  /// - `report`: the run's report as the settings name it.
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
    ledger = try directory.ledger()
  }

  /// Opens the state that the settings name, if any, for a run that does not change it.
  static func reading(_ settings: RunSettings, id: String) throws -> StateSession? {
    guard var state = settings.state else { return nil }
    state.mode = .reference
    do throws(StateError) {
      return try StateSession(
        state, id: id, day: settings.configuration.day, now: Clock.now, report: nil)
    } catch {
      throw CommandError(error, path: state.dir)
    }
  }

  /// Starts another run that only reads the state, as it was when this one started.
  func beginReading() throws(StateError) -> StateTransaction { try directory.beginRun(facts) }

  /// The memory of earlier runs.
  var history: RunMemory { run.history }

  /// Gives the audit the memory of earlier runs, and makes it account for its inputs.
  func configure(_ configuration: inout AuditConfiguration) {
    configuration.history = run.history
    configuration.accounting = InputAccounting(
      ledger: ledger, settle: settings.settle, now: startedAt)
  }

  /// Returns the parts of the state that the report needs.
  ///
  /// - `rejectRate`: the share of unreadable lines above which an input is another log.
  func openState(_ result: any AuditResult, rejectRate: Double) -> OpenState {
    OpenState(
      history: run.history,
      figures: { [run] in
        let figures = try run.figures()
        return StateFigures(
          runs: figures.runs, keys: figures.keys, rememberedHashes: figures.rememberedHashes,
          waiting: result.totals.count(.unverifiable))
      },
      beforePlacing: { [run] newFindings in
        try run.prepare(
          Self.outcome(
            result, newFindings: newFindings, finishedAt: Clock.now, rejectRate: rejectRate))
      })
  }

  /// Makes the run part of the state, after its report is in its place.
  func advance() throws(StateError) {
    try run.commit()
    run.finish()
  }

  /// Returns the facts about the run that are remembered besides those that the audit itself
  /// remembered.
  private static func outcome(
    _ result: any AuditResult, newFindings: UInt64, finishedAt: Int64,
    rejectRate: Double
  ) -> TransactionOutcome {
    let totals = result.totals
    var committed = CommittedTotals()
    committed.lines = totals.lines
    committed.records = totals.attestations + totals.assertions + totals.challenges
    committed.rejects = totals.unreadable
    committed.findings = totals.findings
    committed.newFindings = newFindings
    var outcome = TransactionOutcome(
      sources: result.sources, inputs: [], finishedAt: finishedAt, totals: committed)
    guard let accounted = result.accounted else { return outcome }
    outcome.lineKey = accounted.key
    // An input that is another log is read again by the next run, and nothing that is kept of it counts.
    let misread = result.inputs.indices
      .filter { result.inputs[$0].isMisread(above: rejectRate) }
      .map { result.firstSource &+ UInt32(clamping: $0) }
    outcome.inputs = accounted.entries.filter { !misread.contains($0.input.source) }
    outcome.explained =
      accounted.explained
      + misread.map {
        ReadInputs.Explained(source: $0, superseded: [RunMemory.allLines], repaired: [])
      }
    return outcome
  }
}
