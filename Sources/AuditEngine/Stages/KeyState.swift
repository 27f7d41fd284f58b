internal import AppAttest

/// What is carried from event to event of one key.
struct KeyState {
  /// The subject that the key's records are to have.
  struct Subject {
    /// What tells it from others: see ``RowText/identity``.
    var identity: [UInt8]
    /// The record that set it, in this run or an earlier one; nil where a list of known keys did.
    var position: Position?
    var text: String
    /// ``RememberedKey/Subject/keeper``.
    var keeper: UInt32?
  }

  let key: KeyContext
  /// Whether signatures of the key can be checked.
  let isTrusted: Bool
  /// When the key was attested, where that is known.
  let attestedAt: Int64?
  /// The index of the configured app that the key was attested for.
  let app: UInt16?
  var counters: CounterAudit
  var subject: Subject?
  /// Whether the record that set `subject` is among the rows that earlier runs kept, and still to come:
  /// a log that came late may have one that stands in front of it.
  var isSubjectAhead: Bool
  var attestations: UInt64 = 0
  var assertions: UInt64 = 0
  var verified: UInt64 = 0
  var failed: UInt64 = 0
  var findings: UInt64 = 0
  var worst: Severity?
  /// Assertions that could not be verified, the first of them, and the worst of what they count.
  private(set) var unverifiable: UInt64 = 0
  private(set) var firstUnverifiable: FindingSubject?
  private(set) var worstUnverifiable: Severity?
  /// Assertions that waited since an earlier run and are judged now.
  var settled: UInt64 = 0
  private var firstSeen: Int64?
  private var lastSeen: Int64 = 0
  private var firstAppID = ""

  init(_ key: KeyContext, _ detection: DetectionPolicy, _ apps: ConfiguredApps) {
    self.key = key
    isTrusted = key.trust != nil
    attestedAt = key.trust?.attestedAt
    app = key.trust.flatMap { apps.index(ofAppID: Array($0.appID.utf8).span).map { UInt16($0) } }
    counters = CounterAudit(
      policy: detection, lastCounter: key.imported?.lastCounter, past: key.past)
    isSubjectAhead = key.isFirstSubjectKept
    if let remembered = key.remembered?.subject {
      subject = Subject(
        identity: remembered.identity, position: remembered.position, text: remembered.text,
        keeper: remembered.keeper)
    } else if let text = key.imported?.subject {
      let bytes = Array(text.utf8)
      subject = Subject(identity: RowText.identity(of: bytes), position: nil, text: text)
    }
  }

  /// Whether this run has a record of the key, or judges one that waited.
  var hasRecords: Bool { firstSeen != nil }

  /// Takes note of a record of the key, malformed ones included.
  mutating func see(_ event: EventRow, _ appID: @autoclosure () throws(AuditError) -> String)
    throws(AuditError)
  {
    if firstSeen == nil { firstSeen = event.time }
    lastSeen = event.time
    if firstAppID.isEmpty { firstAppID = try appID() }
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
    _ severity: Severity, _ subject: () throws(AuditError) -> FindingSubject
  ) throws(AuditError) {
    unverifiable += 1
    if firstUnverifiable == nil { firstUnverifiable = try subject() }
    worstUnverifiable = max(worstUnverifiable ?? severity, severity)
  }

  /// The row of `keys.csv`, but for what the replay audit adds.
  var row: KeyRow {
    KeyRow(
      keyID: key.keyID, appID: key.trust?.appID ?? firstAppID,
      environment: key.trust?.environment, status: key.status,
      attestedAt: key.trust?.attestedAt, firstSeen: firstSeen ?? 0, lastSeen: lastSeen,
      attestations: attestations, assertions: assertions, verified: verified, failed: failed,
      firstCounter: counters.lowest, lastCounter: counters.highest,
      missingCounters: counters.missing, findings: findings, worstSeverity: worst,
      subject: subject?.text ?? "", osVersion: key.facts?.osVersion ?? "",
      category: key.facts?.category, bundleVersion: key.facts?.bundleVersion ?? "",
      receiptType: key.facts?.receiptType ?? "", receiptCreated: key.facts?.receiptCreated,
      riskMetric: key.facts?.riskMetric ?? "")
  }
}
