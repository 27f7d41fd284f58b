internal import AppAttest
internal import AuditLog
internal import RowShuffle
internal import Synchronization

/// The facts of a finding about its record.
struct FindingSubject {
  var time: Int64?
  var kind: RecordKind?
  var keyID: Digest256?
  var appID = ""
  var clientDataHash: [UInt8] = []
  var counter: UInt32?
  var position: Position
  /// The decision by which the finding is graded: of several records the worst.
  var decision = Decision.unknown
  var texts = RequestStrings()
  /// The device identifier, where no key is known to belong to it.
  var device: String?

  /// Returns the fingerprint of a finding about this record.
  func fingerprint(_ code: FindingCode) -> UInt64 {
    Fingerprint.record(
      code, kind: kind, keyID: keyID, clientDataHash: clientDataHash, counter: counter, time: time)
  }
}

extension Finding {
  /// Takes the request's texts that few findings have.
  mutating func take(_ subject: FindingSubject) {
    clientIP = subject.texts[.clientIP]
    userAgent = subject.texts[.userAgent]
    route = subject.texts[.route]
  }
}

extension FindingSubject {
  /// Takes the request's texts.
  mutating func take(_ finding: Finding) {
    texts[.subject] = finding.subject
    texts[.requestID] = finding.requestID
    texts[.clientIP] = finding.clientIP
    texts[.userAgent] = finding.userAgent
    texts[.route] = finding.route
  }
}

/// The destination of one thread's findings, which are graded, fingerprinted, counted and sorted.
final class FindingSink {
  private let policy: SeverityPolicy
  /// The codes that a rejected record may have and still count as valid.
  let harmless: CodeSet
  /// The codes that make a verified record flagged, indexed by `Decision.rawValue`.
  private let flagging: [CodeSet]
  private let accepted: AcceptedFindings
  /// The writer of findings, or nil in a simulation, which reports none.
  private let writer: RowWriter?
  private let row: RowBuilder
  private let progress: AuditProgress
  /// Fingerprints that somebody wants to know of, and those of them that findings had.
  private let watched: Set<UInt64>
  private(set) var seen: Set<UInt64> = []
  private(set) var bySeverity = [UInt64](repeating: 0, count: Severity.allCases.count)
  private(set) var byCode = [UInt64](repeating: 0, count: FindingCode.allCases.count)
  private(set) var worstByCode = [Severity?](repeating: nil, count: FindingCode.allCases.count)
  /// The numbers of accepted findings, by the place in ``AcceptedFindings/entries``.
  private(set) var byAcceptance: [UInt64]
  /// Findings that were too grave to be accepted, by the same places.
  private(set) var byBreakthrough: [UInt64]
  /// The facts that explain findings.
  var signs: LogSigns

  init(
    policy: SeverityPolicy, accepted: AcceptedFindings = .none, watched: Set<UInt64> = [],
    firstSource: UInt32 = 0, writer: RowWriter?, texts: TextStore, progress: AuditProgress
  ) {
    signs = LogSigns(first: firstSource)
    self.watched = watched
    self.policy = policy
    harmless = policy.harmlessInRejected
    flagging = [.unknown, .accepted, .rejected].map { policy.codesAboveInfo($0) }
    self.accepted = accepted
    byAcceptance = [UInt64](repeating: 0, count: accepted.entries.count)
    byBreakthrough = byAcceptance
    self.writer = writer
    self.progress = progress
    row = RowBuilder(texts: texts)
  }

  /// Whether findings are wanted.
  var isWriting: Bool { writer != nil }

  /// Returns the severity that a code has for a record with that decision.
  func severity(_ code: FindingCode, _ decision: Decision) -> Severity {
    policy.severity(code, decision)
  }

  /// Returns the severity of a reject (`detection.R50`).
  func severity(_ code: FindingCode, _ decision: Decision, hasToken: Bool) -> Severity {
    policy.severity(code, decision, hasToken: hasToken)
  }

  /// Returns the verdict on a record with these codes. `isUnverifiable` is true for an unknown or
  /// untrusted key. Lost client data verifies nothing (`verification.R42`).
  func verdict(_ codes: CodeSet, _ decision: Decision, isUnverifiable: Bool) -> Verdict {
    if codes.intersects(.checks) { return .failed }
    if isUnverifiable || codes.contains(.recordClientDataLossy) { return .unverifiable }
    return codes.intersects(flagging[Int(decision.rawValue)]) ? .flagged : .valid
  }

  // MARK: Findings

  /// Takes a finding about one record.
  func emit(
    _ code: FindingCode, _ subject: FindingSubject, _ detail: FindingDetail
  ) throws(AuditError) {
    try write(Draft(code, subject, detail, fingerprint: subject.fingerprint(code), policy))
  }

  /// Takes a finding about all assertions of a key, or of a device, standing at the first.
  func emit(
    _ code: FindingCode, key keyID: Digest256, at subject: FindingSubject, severity: Severity,
    _ detail: FindingDetail
  ) throws(AuditError) {
    let fingerprint =
      subject.device.map { Fingerprint.device(code, device: $0) }
      ?? Fingerprint.key(code, keyID: keyID)
    var draft = Draft(code, subject, detail, fingerprint: fingerprint, policy)
    draft.severity = severity
    try write(draft)
  }

  /// Takes a finding about a line that is not a record, and `count` lines like it.
  func emit(reject line: RejectedLine, _ detail: String, count: UInt64 = 1) throws(AuditError) {
    let subject = FindingSubject(position: line.position, decision: line.reject.decision)
    let fingerprint = Fingerprint.reject(line.code, line: line.sha256)
    var draft = Draft(
      line.code, subject, FindingDetail(detail, count: count), fingerprint: fingerprint, policy)
    draft.severity = line.severity
    draft.hasOtherCodes = count > 1
    try write(draft)
  }

  /// Takes the finding about lines of one shape with App Attest tokens that no rule reads; `name`
  /// is that of their source.
  func emit(
    notAudited shape: SkippedShape, source: UInt32, name: String
  ) throws(AuditError) {
    let fingerprint = Fingerprint.notAudited(
      source: name, shape: String(decoding: shape.shape, as: UTF8.self))
    let subject = FindingSubject(position: Position(source: source, line: shape.line))
    let detail = FindingDetail(shape.detail, count: shape.count)
    var draft = Draft(.recordNotAudited, subject, detail, fingerprint: fingerprint, policy)
    draft.rejected = shape.rejected
    try write(draft)
  }

  /// Takes a finding about a damaged or unreadable stream at a byte of the source `source`.
  func emit(
    _ code: FindingCode, stream index: UInt32, source: String, byteOffset: UInt64, _ detail: String
  ) throws(AuditError) {
    let fingerprint = Fingerprint.stream(code, source: source, byteOffset: byteOffset)
    let subject = FindingSubject(position: Position(source: index, line: 0))
    var draft = Draft(code, subject, FindingDetail(detail), fingerprint: fingerprint, policy)
    draft.byteOffset = byteOffset
    try write(draft)
  }

  /// Takes the finding about an expected input, by its entry's `index`, of which so many lines arrived.
  func emit(
    missing input: ExpectedInput, source index: UInt32, arrived: UInt64, _ detail: String
  ) throws(AuditError) {
    let subject = FindingSubject(position: Position(source: index, line: 0))
    let fingerprint = Fingerprint.missing(entry: input.entry)
    var draft = Draft(
      .streamMissing, subject, FindingDetail(detail), fingerprint: fingerprint, policy)
    draft.signValue = arrived
    try write(draft)
  }

  /// A finding on its way.
  private struct Draft {
    let code: FindingCode
    let subject: FindingSubject
    let detail: FindingDetail
    let fingerprint: UInt64
    var severity: Severity
    /// The place of a stream's damage.
    var byteOffset: UInt64 = 0
    /// The value of the sign that the finding is.
    var signValue: UInt64?
    /// The number of lines that the server rejected, for lines that are not audited.
    var rejected: UInt64 = 0
    /// Whether the finding counts lines that can have other codes (`records.R95`).
    var hasOtherCodes = false

    init(
      _ code: FindingCode, _ subject: FindingSubject, _ detail: FindingDetail,
      fingerprint: UInt64, _ policy: SeverityPolicy
    ) {
      self.code = code
      self.subject = subject
      self.detail = detail
      self.fingerprint = fingerprint
      severity = policy.severity(code, subject.decision)
    }
  }

  /// Records that a finding is found, be it reported again or not.
  func see(_ fingerprint: UInt64) {
    if !watched.isEmpty, watched.contains(fingerprint) { seen.insert(fingerprint) }
  }

  private func write(_ draft: Draft) throws(AuditError) {
    let (code, subject, severity) = (draft.code, draft.subject, draft.severity)
    let (detail, fingerprint) = (draft.detail, draft.fingerprint)
    see(fingerprint)
    if let sign = LogSign(code) { signs.add(sign, at: subject.position, value: draft.signValue) }
    guard let writer else { return }
    let acceptance = accepted.acceptance(
      of: draft.hasOtherCodes ? nil : code, subject, severity, fingerprint: fingerprint)
    if let entry = acceptance.entry {
      byAcceptance[entry] += 1
    } else if let entry = acceptance.brokenThrough {
      byBreakthrough[entry] += 1
    }
    var finding = Finding(
      severity: severity, code: code, time: subject.time, kind: subject.kind,
      keyID: subject.keyID, appID: subject.appID, clientDataHash: subject.clientDataHash,
      counter: subject.counter, expected: detail.expected, position: subject.position,
      related: detail.related?.place.position, count: detail.count,
      requestID: subject.texts[.requestID],
      decision: subject.decision,
      subject: subject.texts[.subject], detail: detail.text, fingerprint: fingerprint,
      isAccepted: acceptance.entry != nil)
    finding.rejected = draft.rejected
    finding.take(subject)
    finding.relatedTime = detail.related?.place.time
    finding.relatedKeyID = detail.related?.keyID
    try FindingRow(finding: finding, byteOffset: draft.byteOffset).write(row)
    unsafe try writer.append(row.row)
    if acceptance.entry != nil { return }
    bySeverity[Int(severity.rawValue)] += 1
    byCode[Int(code.rawValue)] += 1
    let worst = worstByCode[Int(code.rawValue)] ?? severity
    worstByCode[Int(code.rawValue)] = max(worst, severity)
    progress.findings.add(1, ordering: .relaxed)
  }
}
