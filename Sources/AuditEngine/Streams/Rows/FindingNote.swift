internal import AppAttest
internal import AuditLog

/// A stage's note on a finding of an earlier run, for ``Withdrawals`` of the whole run.
struct FindingNote {
  /// The fate of the finding.
  enum Fate: UInt64 {
    /// A finding that is not found any more.
    case withdrawn
    /// A finding one of whose counted records is explained.
    case explained
    /// A finding that this run reports, too.
    case counted
    /// A finding one of whose counted records damage had made.
    case replaced
  }

  var fate: Fate
  var code: FindingCode
  /// The key, or the device.
  var owner: Digest256
  var fingerprint: UInt64
  /// The event that the finding is about.
  var subject: FindingSubject

  init(
    _ fate: Fate, _ code: FindingCode, of owner: Digest256, _ fingerprint: UInt64,
    _ subject: FindingSubject = FindingSubject(position: Position(source: 0, line: 0))
  ) {
    self.fate = fate
    self.code = code
    self.owner = owner
    self.fingerprint = fingerprint
    self.subject = subject
  }

  var bytes: [UInt8] {
    var writer = VariableBytesWriter()
    writer.put(fate.rawValue)
    writer.put(UInt64(code.rawValue))
    writer.put(owner.bytes)
    writer.put(fingerprint)
    writer.put(optional: subject.time)
    writer.put(optional: subject.kind.map { Int64($0.rawValue) })
    writer.put(subject.keyID?.bytes ?? [])
    writer.put(subject.appID)
    writer.put(subject.clientDataHash)
    writer.put(optional: subject.counter.map { Int64($0) })
    writer.put(position: subject.position)
    writer.put(UInt64(subject.decision.rawValue))
    for text in RequestText.allCases { writer.put(subject.texts[text]) }
    return writer.bytes
  }

  /// Reads what ``bytes`` wrote, or gives nil for any other bytes.
  init?(_ bytes: [UInt8]) {
    var reader = VariableBytesReader(bytes)
    guard let fate = reader.number().flatMap(Fate.init(rawValue:)),
      let code = reader.number(as: UInt8.self).flatMap(FindingCode.init(rawValue:)),
      let owner = reader.block().flatMap({ Digest256($0) }), let fingerprint = reader.number(),
      let time = reader.optional(), let kind = reader.optional(), let keyID = reader.block(),
      let appID = reader.text(), let hash = reader.block(), hash.count <= UInt8.max,
      let counter = reader.optional(), let position = reader.position(), let position,
      let decision = reader.number(as: UInt8.self).flatMap(Decision.init(rawValue:))
    else { return nil }
    self.init(fate, code, of: owner, fingerprint)
    subject = FindingSubject(
      time: time, kind: kind.flatMap { UInt8(exactly: $0) }.flatMap(RecordKind.init(rawValue:)),
      keyID: Digest256(keyID), appID: appID, clientDataHash: hash,
      counter: counter.flatMap { UInt32(exactly: $0) }, position: position, decision: decision)
    for kind in RequestText.allCases {
      guard let text = reader.text() else { return nil }
      subject.texts[kind] = text
    }
    guard reader.isAtEnd else { return nil }
    guard time.map(KeptKey.High.times.contains) ?? true else { return nil }
  }
}
