internal import AppAttest
internal import AuditLog
internal import RowShuffle
internal import Synchronization

extension Finding {
  /// The texts that the finding has of its request.
  subscript(text: RequestText) -> String {
    get { self[keyPath: Self.place(of: text)] }
    set { self[keyPath: Self.place(of: text)] = newValue }
  }

  private static func place(of text: RequestText) -> WritableKeyPath<Finding, String> {
    switch text {
    case .subject: \.subject
    case .requestID: \.requestID
    case .clientIP: \.clientIP
    case .userAgent: \.userAgent
    case .route: \.route
    }
  }

  func fingerprint(_ code: FindingCode) -> UInt64 {
    Fingerprint.record(
      code, kind: kind, keyID: keyID, clientDataHash: clientDataHash, counter: counter, time: time)
  }
}

extension Finding {
  /// Makes the facts of a finding, or of a verdict, about an event, with the texts that are wanted.
  init(
    _ event: EventRow, _ rest: EventRow.Rest, _ apps: ConfiguredApps, _ texts: TextStore,
    _ wanted: [RequestText] = RequestText.allCases
  ) throws(AuditError) {
    self.init(
      time: event.time, kind: event.kind, keyID: event.knownKeyID,
      appID: try apps.name(event.app, rest.appID, texts),
      clientDataHash: unsafe Array(rest.clientDataHash), counter: event.knownCounter,
      position: event.position, decision: event.decision,
      device: event.section == .device ? try event.device(texts) : nil)
    try take(rest.texts, texts, wanted)
  }

  init(
    _ event: HashRow, _ apps: ConfiguredApps, _ texts: TextStore,
    _ wanted: [RequestText] = RequestText.allCases
  ) throws(AuditError) {
    let rest = event.rest
    self.init(
      time: event.time, kind: event.kind, keyID: event.knownKeyID,
      appID: try apps.name(event.app, rest.appID, texts),
      clientDataHash: unsafe Array(rest.clientDataHash), counter: event.counter,
      position: event.position, decision: event.decision)
    try take(rest.texts, texts, wanted)
  }
}

extension ConfiguredApps {
  /// Returns the App ID that a record has, or else the configured one that its rpIdHash names.
  func name(_ app: UInt16, _ text: RowText, _ texts: TextStore) throws(AuditError) -> String {
    app == EventRow.noApp ? try text.string(texts) : apps[Int(app)].id
  }
}

/// The destination of one thread's findings, which are graded, fingerprinted, counted and sorted.
final class FindingSink {
  let policy: SeverityPolicy
  private let accepted: AcceptedFindings
  /// The writer of findings, or nil in a simulation, which reports none.
  private let writer: RowWriter?
  private let row: RowBuilder
  private let progress: AuditProgress
  /// Fingerprints that somebody wants to know of, and those of them that findings had.
  private let watched: Set<UInt64>
  private(set) var seen: Set<UInt64> = []
  /// The numbers of findings; the rest is counted elsewhere.
  private(set) var totals: AuditTotals
  /// The facts that explain findings.
  var signs: LogSigns

  init(
    policy: SeverityPolicy, accepted: AcceptedFindings = .none, watched: Set<UInt64> = [],
    firstSource: UInt32 = 0, writer: RowWriter?, texts: TextStore, progress: AuditProgress
  ) {
    signs = LogSigns(first: firstSource)
    self.watched = watched
    self.policy = policy
    self.accepted = accepted
    totals = AuditTotals(accepted: accepted)
    self.writer = writer
    self.progress = progress
    row = RowBuilder(texts: texts)
  }

  var isWriting: Bool { writer != nil }

  /// Returns the verdict on a record with these codes. `isUnverifiable` is true for an unknown or
  /// untrusted key. Lost client data verifies nothing (`verification.R42`).
  func verdict(_ codes: CodeSet, isUnverifiable: Bool) -> Verdict {
    if codes.intersects(.checks) { return .failed }
    if isUnverifiable || codes.contains(.recordClientDataLossy) { return .unverifiable }
    return codes.intersects(policy.aboveInfo) ? .flagged : .valid
  }

  // MARK: Findings

  /// Takes a finding about one record, whose severity is of the decision `graded`: its own, unless a copy says another.
  func emit(
    _ code: FindingCode, _ subject: Finding, _ detail: FindingDetail, graded: Decision? = nil
  ) throws(AuditError) {
    let severity = policy.severity(code, graded ?? subject.decision)
    var detail = detail
    if let graded, severity != policy.severity(code, subject.decision) {
      detail.text += graded.ofCopy
    }
    try write(code, subject, detail, subject.fingerprint(code), severity)
  }

  /// Grades a finding at a place, which is emitted elsewhere, by the decision about a copy of its request.
  /// `event` is the record that it is a copy of: by it no two rows are alike.
  func grade(
    _ code: FindingCode, at place: EventPlace, by copy: Decision, of event: Position
  ) throws(AuditError) {
    guard let writer else { return }
    let finding = Finding(code: code, time: place.time, position: place.position, related: event)
    try FindingRow(finding: finding, copy: copy).write(row)
    unsafe try writer.append(row.row)
  }

  /// Takes a finding about all assertions of a key, or of a device, standing at the first.
  func emit(
    _ code: FindingCode, key keyID: Digest256, at subject: Finding, severity: Severity,
    _ detail: FindingDetail
  ) throws(AuditError) {
    let fingerprint = Fingerprint.key(code, keyID, device: subject.device)
    try write(code, subject, detail, fingerprint, severity)
  }

  /// Takes a finding about a line that is not a record, and `count` lines like it.
  func emit(reject line: RejectedLine, _ detail: String, count: UInt64 = 1) throws(AuditError) {
    let subject = Finding(position: line.position, decision: line.reject.decision)
    try write(
      line.code, subject, FindingDetail(detail, count: count),
      Fingerprint.of(line.code, line.sha256.bytes), line.severity, hasOtherCodes: count > 1)
  }

  /// Takes the finding about lines of one shape in the source `name` that no rule reads.
  func emit(
    notAudited shape: SkippedShape, source: UInt32, name: String
  ) throws(AuditError) {
    let fingerprint = Fingerprint.notAudited(
      source: name, shape: String(decoding: shape.shape, as: UTF8.self))
    let subject = Finding(
      position: Position(source: source, line: shape.line), unaccounted: shape.rejected)
    let detail = FindingDetail(shape.detail, count: shape.count)
    try write(.recordNotAudited, subject, detail, fingerprint)
  }

  /// Takes a finding about a damaged or unreadable stream at a byte of the source `source`.
  func emit(
    _ code: FindingCode, stream index: UInt32, source: String, byteOffset: UInt64, _ detail: String
  ) throws(AuditError) {
    let fingerprint = Fingerprint.stream(code, source: source, byteOffset: byteOffset)
    let subject = Finding(position: Position(source: index, line: 0))
    try write(code, subject, FindingDetail(detail), fingerprint, byteOffset: byteOffset)
  }

  /// Takes the finding about an expected input, by its entry's `index`, of which so many lines arrived.
  func emit(
    missing input: ExpectedInput, source index: UInt32, arrived: UInt64, _ detail: String
  ) throws(AuditError) {
    let subject = Finding(position: Position(source: index, line: 0))
    let fingerprint = Fingerprint.of(.streamMissing, input.entry.utf8)
    try write(.streamMissing, subject, FindingDetail(detail), fingerprint, signValue: arrived)
  }

  /// Records that a finding is found, be it reported again or not.
  func see(_ fingerprint: UInt64) {
    if !watched.isEmpty, watched.contains(fingerprint) { seen.insert(fingerprint) }
  }

  /// Writes a finding. `byteOffset` is the place of a stream's damage, `signValue` the value of the sign that the
  /// finding is; `hasOtherCodes` is true if it counts lines that can have other codes (`records.R95`).
  private func write(
    _ code: FindingCode, _ subject: Finding, _ detail: FindingDetail, _ fingerprint: UInt64,
    _ known: Severity? = nil, byteOffset: UInt64 = 0, hasOtherCodes: Bool = false,
    signValue: UInt64? = nil
  ) throws(AuditError) {
    see(fingerprint)
    if let sign = LogSign(code) { signs.add(sign, at: subject.position, value: signValue) }
    guard let writer else { return }
    let severity = known ?? policy.severity(code, subject.decision)
    var finding = subject
    (finding.code, finding.severity, finding.fingerprint) = (code, severity, fingerprint)
    (finding.detail, finding.expected, finding.count) = (detail.text, detail.expected, detail.count)
    (finding.related, finding.relatedTime) = (detail.related?.position, detail.related?.time)
    finding.relatedKeyID = detail.relatedKeyID
    let acceptance = accepted.acceptance(of: finding, hasOtherCodes: hasOtherCodes)
    finding.isAccepted = acceptance.entry != nil
    try FindingRow(finding: finding, byteOffset: byteOffset).write(row)
    unsafe try writer.append(row.row)
    totals.count(finding, acceptance)
    if finding.isAccepted { return }
    progress.findings.add(1, ordering: .relaxed)
  }
}
