internal import AppAttest
internal import AuditLog
internal import RowShuffle
internal import Synchronization

/// What a finding says of the record it stands at.
struct FindingSubject {
  var time: Int64?
  var kind: RecordKind?
  var keyID: Digest256?
  var appID = ""
  var clientDataHash: [UInt8] = []
  var counter: UInt32?
  var position: Position
  var requestID = ""
  var decision = Decision.unknown
  /// The account or user that the record was made for.
  var subject = ""
  /// The device identifier, where no key is known to belong to it.
  var device: String?

  /// The fingerprint of a finding about this record.
  func fingerprint(_ code: FindingCode) -> UInt64 {
    Fingerprint.record(
      code, kind: kind, keyID: keyID, clientDataHash: clientDataHash, counter: counter, time: time)
  }
}

/// Where one thread's findings go: graded, fingerprinted, counted and put into the order of the
/// report. Accepted ones are counted apart.
final class FindingSink {
  private let policy: SeverityPolicy
  /// What a rejected record may have been found with and still count as valid.
  let harmless: CodeSet
  /// What makes a verified record flagged; indexed by `Decision.rawValue`.
  private let flagging: [CodeSet]
  private let accepted: AcceptedFindings
  private let writer: RowWriter
  private let row: RowBuilder
  private let progress: AuditProgress
  /// Fingerprints that somebody wants to know of, and those of them that findings had.
  private let watched: Set<UInt64>
  private(set) var seen: Set<UInt64> = []
  private(set) var bySeverity = [UInt64](repeating: 0, count: Severity.allCases.count)
  private(set) var byCode = [UInt64](repeating: 0, count: FindingCode.allCases.count)
  private(set) var worstByCode = [Severity?](repeating: nil, count: FindingCode.allCases.count)
  /// By the place in ``AcceptedFindings/entries``.
  private(set) var byAcceptance: [UInt64]
  /// Findings that were too grave to be accepted, by the same places.
  private(set) var byBreakthrough: [UInt64]

  init(
    policy: SeverityPolicy, accepted: AcceptedFindings = .none, watched: Set<UInt64> = [],
    writer: RowWriter, texts: TextStore, progress: AuditProgress
  ) {
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

  /// The severity that a code has for a record with that decision.
  func severity(_ code: FindingCode, _ decision: Decision) -> Severity {
    policy.severity(code, decision)
  }

  /// Whether a rejected record with this finding was still valid.
  func isHarmless(_ code: FindingCode) -> Bool { harmless.contains(code) }

  /// The verdict on an attestation or assertion with these codes; `isUnverifiable`: its key is unknown
  /// or untrusted.
  func verdict(_ codes: CodeSet, _ decision: Decision, isUnverifiable: Bool) -> Verdict {
    if codes.intersects(.checks) { return .failed }
    if isUnverifiable { return .unverifiable }
    return codes.intersects(flagging[Int(decision.rawValue)]) ? .flagged : .valid
  }

  /// One finding about one record.
  func emit(
    _ code: FindingCode, _ subject: FindingSubject, expected: UInt32? = nil,
    related: Position? = nil, detail: String
  ) throws(AuditError) {
    try write(
      code, subject, severity: policy.severity(code, subject.decision), expected: expected,
      related: related, count: 1, detail: detail, fingerprint: subject.fingerprint(code))
  }

  /// One finding about all assertions of a key, or of a device without one, standing at the first.
  func emit(
    _ code: FindingCode, key keyID: Digest256, at subject: FindingSubject, severity: Severity,
    related: Position?, count: UInt64, detail: String
  ) throws(AuditError) {
    let fingerprint =
      subject.device.map { Fingerprint.device(code, device: $0) }
      ?? Fingerprint.key(code, keyID: keyID)
    try write(
      code, subject, severity: severity, expected: nil, related: related, count: count,
      detail: detail, fingerprint: fingerprint)
  }

  /// A line that is no record; `line` is its SHA-256.
  func emit(
    _ code: FindingCode, reject position: Position, line: Digest256,
    decision: Decision = .unknown, detail: String
  ) throws(AuditError) {
    try write(
      code, FindingSubject(position: position, decision: decision),
      severity: policy.severity(code, decision), expected: nil, related: nil, count: 1,
      detail: detail, fingerprint: Fingerprint.reject(code, line: line))
  }

  /// Lines of one shape that hold App Attest tokens and were skipped: `source` is the name of
  /// theirs, `position` the first of them.
  func emit(
    notAudited shape: String, source: String, at position: Position, count: UInt64,
    detail: String
  ) throws(AuditError) {
    try write(
      .recordNotAudited, FindingSubject(position: position),
      severity: policy.severity(.recordNotAudited, .unknown), expected: nil, related: nil,
      count: count, detail: detail,
      fingerprint: Fingerprint.notAudited(source: source, shape: shape))
  }

  /// A damaged or unreadable stream; `source` is its name, `byteOffset` that of the damage.
  func emit(
    _ code: FindingCode, stream index: UInt32, source: String, byteOffset: UInt64, detail: String
  ) throws(AuditError) {
    try write(
      code, FindingSubject(position: Position(source: index, line: 0)),
      severity: policy.severity(code, .unknown), expected: nil, related: nil, count: 1,
      detail: detail,
      fingerprint: Fingerprint.stream(code, source: source, byteOffset: byteOffset),
      byteOffset: byteOffset)
  }

  private func write(
    _ code: FindingCode, _ subject: FindingSubject, severity: Severity, expected: UInt32?,
    related: Position?, count: UInt64, detail: String, fingerprint: UInt64, byteOffset: UInt64 = 0
  ) throws(AuditError) {
    if !watched.isEmpty, watched.contains(fingerprint) { seen.insert(fingerprint) }
    let acceptance = accepted.acceptance(of: code, subject, severity, fingerprint: fingerprint)
    if let entry = acceptance.entry {
      byAcceptance[entry] += 1
    } else if let entry = acceptance.brokenThrough {
      byBreakthrough[entry] += 1
    }
    let finding = Finding(
      severity: severity, code: code, time: subject.time, kind: subject.kind,
      keyID: subject.keyID, appID: subject.appID, clientDataHash: subject.clientDataHash,
      counter: subject.counter, expected: expected, position: subject.position, related: related,
      count: count, requestID: subject.requestID, decision: subject.decision,
      subject: subject.subject,
      detail: detail, fingerprint: fingerprint, isAccepted: acceptance.entry != nil)
    try FindingRow.write(finding, byteOffset: byteOffset, row)
    unsafe try writer.append(row.row)
    if finding.isAccepted { return }
    bySeverity[Int(severity.rawValue)] += 1
    byCode[Int(code.rawValue)] += 1
    let worst = worstByCode[Int(code.rawValue)] ?? severity
    worstByCode[Int(code.rawValue)] = max(worst, severity)
    progress.findings.add(1, ordering: .relaxed)
  }
}
