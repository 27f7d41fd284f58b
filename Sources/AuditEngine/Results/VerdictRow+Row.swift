internal import AppAttest
internal import AuditLog

/// Verdicts as rows of their shuffle, in order of source and line.
extension VerdictRow {
  /// Source and line.
  static let keyLength = 4 + 8

  func write(_ row: RowBuilder) throws(AuditError) {
    row.begin()
    row.big(position)
    row.put(optional: time)
    row.put(kind?.rawValue ?? UInt8.max)
    row.put(keyID == nil ? UInt8(0) : 1)
    if let keyID { row.put(keyID) }
    try row.put(text: appID)
    row.put(UInt8(clientDataHash.count))
    row.put(clientDataHash.span)
    row.put(optional: counter)
    row.put(verdict.rawValue)
    row.put(CodeSet(codes).bits)
    row.put(decision.rawValue)
    try row.put(text: subject)
    try row.put(text: requestID)
    try row.put(text: detail)
  }

  init(_ row: UnsafeRawBufferPointer, _ texts: TextStore) throws(AuditError) {
    var cursor = unsafe RowCursor(row)
    position = cursor.position()
    time = cursor.optional(Int64.self)
    kind = RecordKind(rawValue: cursor.number())
    keyID = cursor.number(UInt8.self) != 0 ? cursor.digest() : nil
    appID = try cursor.text().string(texts)
    let count = Int(cursor.number(UInt8.self))
    clientDataHash = unsafe Array(cursor.bytes(count))
    counter = cursor.optional(UInt32.self)
    guard let verdict = Verdict(rawValue: cursor.number()) else {
      throw AuditError(.inconsistent, "a verdict's row does not hold what was written to it")
    }
    self.verdict = verdict
    codes = CodeSet(bits: cursor.number()).codes
    decision = Decision(rawValue: cursor.number()) ?? .unknown
    subject = try cursor.text().string(texts)
    requestID = try cursor.text().string(texts)
    detail = try cursor.text().string(texts)
  }
}
