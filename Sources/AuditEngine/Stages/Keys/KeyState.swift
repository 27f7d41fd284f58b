internal import AppAttest
internal import AuditLog

/// The state of one key from event to event: the judges, and the counts.
struct KeyState {
  let key: KeyContext
  var now: KeyJudge
  /// The judge of the events that later runs know, if the run reads another log (`pipeline.R15`).
  private var kept: KeyJudge?
  /// Whether another log has an attestation of the key, or an event up to this one.
  private(set) var isDisputed: Bool
  /// The judge of events of earlier runs by what was known before, made when the first comes.
  private var before: KeyJudge?
  /// The judge that repeats the old opinion on events that waited: that they could not be verified.
  private var beforeTrust: KeyJudge?
  /// The snapshot that both begin with.
  private let snapshot: KeySnapshot
  /// The counter that a list says was reached before all logs.
  private let lastCounter: UInt32?
  /// The judge, among themselves, of events that the snapshot counts already, or nil.
  private var again: KeyJudge?
  /// The text of the subject that `now` has.
  var subjectText: String
  /// The row of `keys.csv` as far as events fill it in.
  var row: KeyRow
  /// Whether this run has a record of the key, or judges one that waited.
  private(set) var hasRecords = false
  /// Assertions that could not be verified, the first of them, and the worst of what they count.
  private(set) var unverifiable: UInt64 = 0
  private(set) var firstUnverifiable: Finding?
  /// The number of them in another log.
  private(set) var unaccounted: UInt64 = 0
  /// The codes of all assertions at hand that cannot be verified, counted or not.
  var unverifiableCodes = CodeSet()
  /// The findings that may count assertions of the key in another log of an earlier run, and those of them whose first
  /// assertion is at hand: of others nothing is judged again (`detection.R26`).
  var open: [Finding] = []
  private(set) var met: [Finding] = []
  /// Whether an event of an earlier run is the key's no more.
  var isLeft = false
  private(set) var worstUnverifiable: Severity?

  init(
    _ key: KeyContext, _ detection: DetectionPolicy, _ apps: ConfiguredApps
  ) throws(AuditError) {
    self.key = key
    isDisputed = key.isDisputed
    row = KeyRow(keyID: key.keyID)
    var snapshot = try key.snapshot()
    var lastCounter = key.imported?.lastCounter
    if let counter = lastCounter, let time = key.imported?.lastCounterTime {
      snapshot.counters.take(lastCounter: counter, at: time)
      lastCounter = nil
    }
    if snapshot.subject == nil, let text = key.imported?.subject {
      snapshot.subject = KeySnapshot.Subject(identity: RowText.identity(of: Array(text.utf8)))
    }
    let known = key.remembered.flatMap { $0.snapshot.subject == nil ? nil : $0.subjectText }
    subjectText = known ?? key.imported?.subject ?? ""
    self.snapshot = snapshot
    self.lastCounter = lastCounter
    now = KeyJudge(
      key.registry(apps), snapshot, lastCounter: lastCounter, detection)
    if let accounted = key.accounted {
      kept = KeyJudge(
        accounted.registry(apps), snapshot, lastCounter: lastCounter, detection)
    }
    if let past = key.rereadPast(snapshot) {
      again = KeyJudge(
        key.registry(apps), past, lastCounter: lastCounter, detection)
    }
  }

  /// Judges an event of this run by all that is known now. Nothing is kept of another log.
  mutating func judge(
    read event: EventRow, _ rest: EventRow.Rest, holds: Bool, isOfOtherLog: Bool
  ) -> KeyOpinion {
    if again != nil, key.isCounted(event.position),
      let opinion = again?.judge(event, rest, holds: holds)
    {
      return opinion
    }
    if isOfOtherLog { isDisputed = true } else { _ = kept?.judge(event, rest, holds: holds) }
    return now.judge(event, rest, holds: holds)
  }

  /// Returns what later runs are to know of its counters and its subject.
  mutating func snapshotToKeep() -> KeySnapshot { kept?.snapshot() ?? now.snapshot() }

  /// Makes what judges the events of earlier runs by what was known before this one.
  mutating func makeBefore(_ detection: DetectionPolicy, _ apps: ConfiguredApps) {
    guard before == nil else { return }
    before = KeyJudge(
      key.earlierRegistry(apps), snapshot, lastCounter: lastCounter, detection)
    var registry = key.earlierRegistry(apps)
    registry.isTrusted = false
    beforeTrust = KeyJudge(registry, KeySnapshot(), lastCounter: nil, detection)
  }

  /// Judges an event of an earlier run by all that is known now, and by what later runs know.
  mutating func judge(
    kept event: EventRow, _ rest: EventRow.Rest, holds: Bool
  ) -> (now: KeyOpinion, accounted: KeyOpinion) {
    let opinion = now.judge(event, rest, holds: holds)
    return (opinion, kept?.judge(event, rest, holds: holds) ?? opinion)
  }

  /// Returns the opinion on an event of an earlier run by what was known before this one.
  mutating func judgeBefore(
    _ event: EventRow, _ rest: EventRow.Rest, holds: Bool
  ) -> KeyOpinion? {
    event.flags.contains(.waiting)
      ? beforeTrust?.judge(event, rest, holds: holds) : before?.judge(event, rest, holds: holds)
  }

  /// Takes a record of the key, malformed ones included.
  mutating func see(_ event: EventRow, _ appID: @autoclosure () throws(AuditError) -> String)
    throws(AuditError)
  {
    if !hasRecords { row.firstSeen = event.time }
    hasRecords = true
    row.lastSeen = event.time
    if row.appID.isEmpty { row.appID = try appID() }
    if event.kind == .attestation { row.attestations += 1 } else { row.assertions += 1 }
  }

  /// Takes an assertion that is judged, which may be the first one that an open finding counts.
  mutating func meet(
    _ time: Int64, _ subject: () throws(AuditError) -> Finding
  ) throws(AuditError) {
    for finding in open where finding.time == time {
      guard try subject().clientDataHash == finding.clientDataHash else { continue }
      met.append(finding)
    }
  }

  mutating func verify(_ counter: UInt32) {
    row.verified += 1
    row.firstCounter = min(row.firstCounter ?? counter, counter)
    row.lastCounter = max(row.lastCounter ?? counter, counter)
  }

  mutating func count(_ codes: CodeSet, _ decision: Decision, _ sink: FindingSink) {
    for code in codes.codes { count(sink.policy.severity(code, decision)) }
  }

  mutating func count(_ severity: Severity) {
    row.findings += 1
    row.worstSeverity = max(row.worstSeverity ?? severity, severity)
  }

  mutating func countUnverifiable(
    _ severity: Severity, isOfOtherLog: Bool, _ subject: () throws(AuditError) -> Finding
  ) throws(AuditError) {
    unverifiable += 1
    if isOfOtherLog { unaccounted += 1 }
    if firstUnverifiable == nil { firstUnverifiable = try subject() }
    worstUnverifiable = max(worstUnverifiable ?? severity, severity)
  }

  /// The row of `keys.csv`, but for what the replay audit adds.
  var finishedRow: KeyRow {
    var row = row
    if let appID = key.trust?.appID, !appID.isEmpty { row.appID = appID }
    (row.environment, row.status) = (key.trust?.environment, key.status)
    row.attestedAt = key.trust?.attestedAt ?? key.firstValidAt
    if let first = row.firstCounter, let last = row.lastCounter {
      row.missingCounters = now.counters.missing(
        in: first...last, isAll: before == nil, and: again?.counters)
    }
    (row.subject, row.facts) = (subjectText, key.facts ?? KeyFacts())
    return row
  }
}
