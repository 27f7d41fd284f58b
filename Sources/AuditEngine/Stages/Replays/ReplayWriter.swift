internal import AppAttest
internal import RowShuffle

/// Writes what the reduce by clientDataHash found: findings, verdicts, and what `keys.csv` adds up.
/// Used by that reduce's thread alone.
final class ReplayWriter {
  let findings: FindingSink
  private let apps: ConfiguredApps
  private let texts: TextStore
  private let verdicts: VerdictSink
  private let keys: RowWriter
  private let row: RowBuilder
  /// Told of every finding that stands; nil where the run stands alone.
  private let withdrawals: Withdrawals?

  init(
    _ findings: FindingSink, _ verdicts: VerdictSink, apps: ConfiguredApps, shuffles: Shuffles,
    withdrawals: Withdrawals?
  ) {
    self.findings = findings
    self.verdicts = verdicts
    self.apps = apps
    self.withdrawals = withdrawals
    texts = shuffles.texts
    keys = shuffles.keys.writer(0)
    row = RowBuilder(texts: shuffles.texts)
  }

  /// Reports a finding of an event of this run, and adds its code to `codes`.
  func report(
    _ finding: ReplayFinding, of event: HashRow, _ codes: inout CodeSet
  ) throws(AuditError) {
    codes.insert(finding.code)
    let rest = event.rest
    let subject = FindingSubject(
      time: event.time, kind: event.kind, keyID: event.knownKeyID,
      appID: try appID(event, rest),
      clientDataHash: unsafe Array(rest.clientDataHash), counter: event.counter,
      position: event.position, requestID: try rest.requestID.string(texts),
      decision: event.decision, subject: try rest.subject.string(texts))
    withdrawals?.stands(subject.fingerprint(finding.code))
    try emit(finding, subject)
  }

  /// Reports a finding of a kept event, and adds it to its key's.
  func report(
    _ finding: ReplayFinding, ofKept event: HashRow, _ subject: FindingSubject, _ severity: Severity
  ) throws(AuditError) {
    try emit(finding, subject)
    guard subject.keyID != nil else { return }
    KeyRow.writeAddition(
      keyID: event.keyID, at: subject.position, findings: 1, worst: severity, row)
    unsafe try keys.append(row.row)
  }

  private func emit(_ finding: ReplayFinding, _ subject: FindingSubject) throws(AuditError) {
    try findings.emit(
      finding.code, subject, expected: finding.expected, related: finding.related,
      detail: finding.detail)
  }

  /// Fills in the texts that a kept event's row has.
  func complete(_ subject: inout FindingSubject, _ event: HashRow, _ rest: HashRow.Rest)
    throws(AuditError)
  {
    subject.appID = try appID(event, rest)
    subject.requestID = try rest.requestID.string(texts)
    subject.subject = try rest.subject.string(texts)
  }

  /// Passes on to `keys.csv` what was found here.
  func addToKey(_ event: HashRow, _ added: CodeSet) throws(AuditError) {
    guard !event.flags.contains(.ofDevice), !added.isEmpty else { return }
    let worst = added.codes.map { findings.severity($0, event.decision) }.max()
    KeyRow.writeAddition(
      keyID: event.keyID, at: event.position, findings: UInt32(added.bits.nonzeroBitCount),
      worst: worst ?? .info, row)
    unsafe try keys.append(row.row)
  }

  /// Counts the verdict on an event, and writes it where verdicts are wanted.
  func writeVerdict(_ row: HashRow, _ codes: CodeSet) throws(AuditError) {
    let verdict = findings.verdict(
      codes, row.decision, isUnverifiable: row.flags.contains(.unverifiable))
    verdicts.count(verdict)
    guard verdicts.isWriting else { return }
    let rest = row.rest
    try verdicts.writeRow(
      VerdictRow(
        time: row.time, kind: row.kind, keyID: row.knownKeyID,
        appID: try appID(row, rest),
        clientDataHash: unsafe Array(rest.clientDataHash), counter: row.counter,
        position: row.position, verdict: verdict, codes: codes.codes, decision: row.decision,
        subject: try rest.subject.string(texts),
        requestID: try rest.requestID.string(texts)))
  }

  /// The App ID that the record has, or else the configured one that its rpIdHash names.
  private func appID(_ row: HashRow, _ rest: HashRow.Rest) throws(AuditError) -> String {
    row.app == EventRow.noApp
      ? try rest.appID.string(texts) : apps.apps[Int(row.app)].id
  }
}
