internal import AppAttest
internal import AuditLog

/// Findings as rows of their shuffle, in the order of `findings.csv`.
enum FindingRow {
  /// Whether there is a time, the time, source, line, code, byte offset.
  static let keyLength = 1 + 8 + 4 + 8 + 1 + 8

  /// Writes the row of a finding. `byteOffset` orders the findings of one stream.
  static func write(
    _ finding: Finding, byteOffset: UInt64 = 0, _ row: RowBuilder
  ) throws(AuditError) {
    row.begin()
    row.big(finding.time == nil ? UInt8(0) : 1)
    row.bigTime(finding.time ?? 0)
    row.big(finding.position)
    row.big(finding.code.rawValue)
    row.big(byteOffset)
    row.put(finding.severity.rawValue)
    row.put(finding.kind?.rawValue ?? UInt8.max)
    row.put(finding.keyID == nil ? UInt8(0) : 1)
    if let keyID = finding.keyID { row.put(keyID) }
    try row.put(repeated: finding.appID, .appID)
    row.put(UInt8(finding.clientDataHash.count))
    row.put(finding.clientDataHash.span)
    row.put(optional: finding.counter)
    row.put(optional: finding.expected)
    row.put(finding.related)
    row.put(smallCount: finding.count)
    try row.put(text: finding.requestID)
    row.put(finding.decision.rawValue)
    try row.put(text: finding.subject)
    try row.put(repeated: finding.detail, .sentence)
    row.put(finding.fingerprint)
    row.put(finding.isAccepted ? UInt8(1) : 0)
    row.put(smallCount: finding.rejected)
    row.put(optional: finding.relatedTime)
    let relatedKey = RelatedKey(finding)
    row.put(relatedKey.rawValue)
    if relatedKey == .other, let keyID = finding.relatedKeyID { row.put(keyID) }
    try row.put(repeated: finding.clientIP, .clientIP)
    try row.put(repeated: finding.userAgent, .userAgent)
    try row.put(repeated: finding.route, .route)
  }

  /// The key of the related event, in a byte before it.
  enum RelatedKey: UInt8 {
    case none, own, other

    init(_ finding: Finding) {
      guard let keyID = finding.relatedKeyID else {
        self = .none
        return
      }
      self = keyID == finding.keyID ? .own : .other
    }
  }

  static func read(
    _ row: UnsafeRawBufferPointer, _ texts: TextStore
  ) throws(AuditError) -> Finding {
    var cursor = unsafe RowCursor(row)
    let hasTime = cursor.number(UInt8.self) != 0
    let time = cursor.bigTime()
    let position = cursor.position()
    let code = FindingCode(rawValue: cursor.number())
    cursor.skip(8)
    let severity = Severity(rawValue: cursor.number())
    let kind = RecordKind(rawValue: cursor.number())
    let keyID = cursor.number(UInt8.self) != 0 ? cursor.digest() : nil
    let appID = try cursor.text().string(texts)
    let hashLength = Int(cursor.number(UInt8.self))
    let hash = unsafe Array(cursor.bytes(hashLength))
    let counter = cursor.optional(UInt32.self)
    let expected = cursor.optional(UInt32.self)
    let related = cursor.optionalPosition()
    let count = cursor.smallCount()
    let requestID = try cursor.text().string(texts)
    let decision = Decision(rawValue: cursor.number())
    let subject = try cursor.text().string(texts)
    let detail = try cursor.text().string(texts)
    guard let code, let severity, let decision else {
      throw AuditError(.inconsistent, "a finding's row is not what was written")
    }
    var finding = Finding(
      severity: severity, code: code, time: hasTime ? time : nil, kind: kind, keyID: keyID,
      appID: appID, clientDataHash: hash, counter: counter, expected: expected,
      position: position, related: related, count: count, requestID: requestID,
      decision: decision, subject: subject, detail: detail, fingerprint: cursor.number(),
      isAccepted: cursor.number(UInt8.self) != 0)
    finding.rejected = cursor.smallCount()
    finding.relatedTime = cursor.optional(Int64.self)
    switch RelatedKey(rawValue: cursor.number()) {
    case .own: finding.relatedKeyID = keyID
    case .other: finding.relatedKeyID = cursor.digest()
    case .none?, nil: break
    }
    finding.clientIP = try cursor.text().string(texts)
    finding.userAgent = try cursor.text().string(texts)
    finding.route = try cursor.text().string(texts)
    return finding
  }
}
