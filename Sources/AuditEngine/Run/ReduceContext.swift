internal import AppAttest
internal import AuditLog
internal import Basics

/// The context of one reducer, of several that are at work at once: the settings and shuffles of the run, and
/// where its results go.
struct ReduceContext {
  let detection: DetectionPolicy
  let apps: ConfiguredApps
  let shuffles: Shuffles
  let findings: FindingSink
  let verdicts: VerdictSink
  let run: Cancellation<AuditError>
  let progress: AuditProgress
  /// Its index among the reducers, and that of its writers in shuffles that only reducers write to.
  var reducer = 0
  /// The events that the history of keys is to have, or nil for all.
  var events: EventChoice?
  /// The memory of earlier runs, or nil if the run stands alone.
  var history: RunMemory?
  /// The findings of earlier runs that stand no more.
  var withdrawals = Withdrawals(nil)
  /// Names the places of events in sentences.
  var places = EventPlaces()
}
