internal import AppAttest
internal import AuditLog
internal import RowShuffle

/// The destination of what the replay audit finds. Used by one thread.
final class ReplayOutput {
  private let context: ReduceContext
  let findings: FindingSink
  private let keys: RowWriter
  private let row: RowBuilder
  private var builds: BuildLedger?
  /// Findings about events of earlier runs, of whose requests the rows kept of their keys tell. More of them are
  /// reported without.
  private var late:
    [(code: FindingCode, subject: Finding, detail: FindingDetail, graded: Decision)] = []
  private static let lateLimit = 1 << 16
  /// Whether no other event has the hash of the event at hand: nothing of it can be withdrawn.
  var isAlone = false

  init(_ context: ReduceContext) {
    self.context = context
    findings = context.findings
    keys = context.shuffles.keys.writer(context.reducer)
    row = RowBuilder(texts: context.shuffles.texts)
    builds = BuildLedger(context)
  }

  private var apps: ConfiguredApps { context.apps }
  private var texts: TextStore { context.shuffles.texts }

  /// Reports a finding about an event of this run, and adds its code to those of the event.
  func find(
    _ code: FindingCode, _ judged: JudgedEvent, _ codes: inout CodeSet, _ detail: FindingDetail
  ) throws(AuditError) {
    codes.insert(code)
    guard findings.isWriting else { return }
    let subject = try Finding(judged.row, apps, texts)
    if context.history != nil, !isAlone { context.withdrawals.stands(subject.fingerprint(code)) }
    try findings.emit(code, subject, detail, graded: judged.grading(code))
  }

  /// Grades the codes among `emitted`, of findings of this run about an event, that are more severe by the decision
  /// about a copy of its request, and returns these.
  func grade(_ judged: JudgedEvent, _ emitted: CodeSet) throws(AuditError) -> CodeSet {
    var graded = CodeSet()
    guard judged.decision != judged.row.decision else { return graded }
    let (row, policy) = (judged.row, findings.policy)
    for code in emitted.codes
    where policy.severity(code, judged.decision) > policy.severity(code, row.decision) {
      let ofRecord = EventPlace(position: row.position, time: row.time)
      // Without earlier runs, a finding about the key counts the copy as well.
      let place = code == row.flags.unverifiableCode ? row.rest.keyEvent : ofRecord
      guard let place else { continue }
      try findings.grade(code, at: place, by: judged.decision, of: row.position)
      graded.insert(code)
    }
    return graded
  }

  /// Reports a finding about an event that earlier runs judged, and returns whether it is news.
  func report(
    _ code: FindingCode, _ event: JudgedEvent, _ subject: Finding, _ detail: FindingDetail
  ) throws(AuditError) -> Bool {
    let fingerprint = subject.fingerprint(code)
    context.withdrawals.stands(fingerprint)
    findings.see(fingerprint)
    let graded = event.grading(code)
    let severity = findings.policy.severity(code, graded)
    guard try context.withdrawals.isNews(fingerprint, severity) else { return false }
    if event.isRemembered, late.count < Self.lateLimit {
      late.append((code, subject, detail, graded))
    } else {
      try findings.emit(code, subject, detail, graded: graded)
    }
    return true
  }

  /// Reports what waited for the requests of its events.
  func finish() throws(AuditError) {
    guard let history = context.history, !late.isEmpty else { return }
    var places = Dictionary(grouping: late.indices) { late[$0].subject.position }
    var rows = try KeptRowReader(history.events.runs(), history.order)
    while !places.isEmpty, let bytes = unsafe rows.next {
      let event = unsafe EventRow(bytes)
      if !event.flags.contains(.marks), let indices = places.removeValue(forKey: event.position) {
        unsafe try KeptRow(bytes).write(apps, row)
        let (kept, rest) = unsafe (EventRow(row.row), EventRow(row.row).rest)
        for index in indices {
          late[index].subject.appID = try apps.name(kept.app, rest.appID, texts)
          try late[index].subject.take(rest.texts, texts)
        }
      }
      try rows.advance()
    }
    for finding in late {
      try findings.emit(finding.code, finding.subject, finding.detail, graded: finding.graded)
    }
    late = []
  }

  /// Passes on to `keys.csv` what was found of an event here, and what was `graded` again.
  func addToKey(_ judged: JudgedEvent, _ added: CodeSet, graded: CodeSet) throws(AuditError) {
    let event = judged.row
    let all = added.union(graded)
    guard builds != nil, !event.flags.contains(.ofDevice), !all.isEmpty else { return }
    if event.isVerified, !event.isRemembered {
      try builds?.add(added, judged, graded: graded)
    }
    let worst = all.codes.map { findings.policy.severity($0, judged.grading($0)) }.max()
    try KeyRow.Addition(
      keyID: event.keyID, position: event.position, findings: UInt32(added.bits.nonzeroBitCount),
      worst: worst ?? .info
    ).write(row)
    unsafe try keys.append(row.row)
  }

  func flushBuilds() throws(AuditError) { try builds?.flush() }

  /// Writes the verdict on an event. `isChecked` is false if its challenge can still arrive.
  func writeVerdict(
    _ event: HashRow, _ codes: CodeSet, isChecked: Bool = true
  ) throws(AuditError) {
    let verdict = findings.verdict(
      codes, isUnverifiable: event.flags.contains(.unverifiable) || !isChecked)
    try context.verdicts.write(
      verdict,
      JudgedRequest(
        event.position, verdict, codes, event.decision, keyID: event.knownKeyID, app: event.app,
        isSigned: event.isSigned)
    ) { () throws(AuditError) in
      try (Finding(event, apps, texts, VerdictSink.texts), event.rest.texts.token.signed)
    }
  }

  /// Adds to what a finding says of an event of an earlier run what its kept row tells.
  func complete(_ subject: inout Finding, from event: HashRow) throws(AuditError) {
    let rest = event.rest
    subject.appID = try apps.name(event.app, rest.appID, texts)
    try subject.take(rest.texts, texts)
  }
}
