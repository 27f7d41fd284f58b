internal import AppAttest
internal import AuditLog

/// The state of one key from event to event: the judges, and the counts.
struct KeyState {
  let key: KeyContext
  /// The judge of all events.
  var now: KeyJudge
  /// The judge of the events that later runs know, if the run reads another log, too (`pipeline.R15`): its counters are
  /// not kept.
  private var kept: KeyJudge?
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
  /// Whether signatures of the key can be checked.
  let isTrusted: Bool
  /// Whether attestations of another log say something else of the key than the others.
  let isOfOtherLog: Bool
  /// The text of the subject that `now` has.
  var subjectText: String
  var attestations: UInt64 = 0
  var assertions: UInt64 = 0
  var verified: UInt64 = 0
  var failed: UInt64 = 0
  var findings: UInt64 = 0
  var worst: Severity?
  /// Assertions that could not be verified, the first of them, and the worst of what they count.
  private(set) var unverifiable: UInt64 = 0
  private(set) var firstUnverifiable: Finding?
  /// Whether an event of an earlier run is the key's no more.
  var isLeft = false
  private(set) var worstUnverifiable: Severity?
  /// The lowest and the highest counter of those that were verified.
  private var range: ClosedRange<UInt32>?
  private var firstSeen: Int64?
  private var lastSeen: Int64 = 0
  private var firstAppID = ""

  init(
    _ key: KeyContext, _ detection: DetectionPolicy, _ apps: ConfiguredApps
  ) throws(AuditError) {
    self.key = key
    isTrusted = key.trust != nil
    isOfOtherLog = key.accounted.map { $0.registry(apps) != key.registry(apps) } ?? false
    var snapshot = try key.snapshot()
    var lastCounter = key.imported?.lastCounter
    if let counter = lastCounter, let time = key.imported?.lastCounterTime {
      snapshot.counters.take(lastCounter: counter, at: time)
      lastCounter = nil
    }
    if snapshot.subject == nil, let text = key.imported?.subject {
      snapshot.subject = KeySnapshot.Subject(identity: RowText.identity(of: Array(text.utf8)))
    }
    subjectText = key.remembered?.subject?.text ?? key.imported?.subject ?? ""
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

  /// Judges an event by all that is known now, of this run or of an earlier one. Nothing is kept of another log.
  mutating func judge(
    _ event: EventRow, _ rest: EventRow.Rest, holds: Bool, isOfOtherLog: Bool = false
  ) -> KeyOpinion {
    if !isOfOtherLog { _ = kept?.judge(event, rest, holds: holds) }
    return now.judge(event, rest, holds: holds)
  }

  /// Judges an event of this run.
  mutating func judge(
    read event: EventRow, _ rest: EventRow.Rest, holds: Bool, isOfOtherLog: Bool
  ) -> KeyOpinion {
    if again != nil, key.isCounted(event.position),
      let opinion = again?.judge(event, rest, holds: holds)
    {
      return opinion
    }
    return judge(event, rest, holds: holds, isOfOtherLog: isOfOtherLog)
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

  /// Returns the opinion on an event of an earlier run by what was known before this one.
  mutating func judgeBefore(
    _ event: EventRow, _ rest: EventRow.Rest, holds: Bool
  ) -> KeyOpinion? {
    event.flags.contains(.waiting)
      ? beforeTrust?.judge(event, rest, holds: holds) : before?.judge(event, rest, holds: holds)
  }

  /// Whether this run has a record of the key, or judges one that waited.
  var hasRecords: Bool { firstSeen != nil }

  /// Takes a record of the key, malformed ones included.
  mutating func see(_ event: EventRow, _ appID: @autoclosure () throws(AuditError) -> String)
    throws(AuditError)
  {
    if firstSeen == nil { firstSeen = event.time }
    lastSeen = event.time
    if firstAppID.isEmpty { firstAppID = try appID() }
    if event.kind == .attestation { attestations += 1 } else { assertions += 1 }
  }

  /// Counts an assertion whose signature held.
  mutating func verify(_ counter: UInt32) {
    verified += 1
    guard let known = range else {
      range = counter...counter
      return
    }
    range = min(known.lowerBound, counter)...max(known.upperBound, counter)
  }

  /// Counts the findings of one record.
  mutating func count(_ codes: CodeSet, _ decision: Decision, _ sink: FindingSink) {
    guard !codes.isEmpty else { return }
    for code in codes.codes {
      findings += 1
      let severity = sink.severity(code, decision)
      worst = max(worst ?? severity, severity)
    }
  }

  /// Counts an assertion that cannot be verified.
  mutating func countUnverifiable(
    _ severity: Severity, _ subject: () throws(AuditError) -> Finding
  ) throws(AuditError) {
    unverifiable += 1
    if firstUnverifiable == nil { firstUnverifiable = try subject() }
    worstUnverifiable = max(worstUnverifiable ?? severity, severity)
  }

  /// The row of `keys.csv`, but for what the replay audit adds.
  var row: KeyRow {
    KeyRow(
      keyID: key.keyID,
      appID: key.trust.flatMap { $0.appID.isEmpty ? nil : $0.appID } ?? firstAppID,
      environment: key.trust?.environment, status: key.status,
      attestedAt: key.trust?.attestedAt ?? key.firstValidAt, firstSeen: firstSeen ?? 0,
      lastSeen: lastSeen,
      attestations: attestations, assertions: assertions, verified: verified, failed: failed,
      firstCounter: range?.lowerBound, lastCounter: range?.upperBound,
      missingCounters: range.map {
        now.counters.missing(in: $0, isAll: before == nil, and: again?.counters)
      },
      findings: findings, worstSeverity: worst,
      subject: subjectText, facts: key.facts ?? KeyFacts())
  }
}
