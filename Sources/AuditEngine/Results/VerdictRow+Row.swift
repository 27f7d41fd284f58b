internal import AppAttest
internal import AuditLog

/// Verdicts as rows of their shuffles: in order of source and line, and in order of key and time.
extension VerdictRow {
  /// Source and line.
  static let keyLength = 4 + 8
  /// Key identifier, or zeroes; time; source and line.
  static let eventKeyLength = Digest256.byteCount + 8 + keyLength

  /// Writes a row in order of source and line.
  func write(_ row: RowBuilder) throws(AuditError) {
    row.begin()
    row.big(position)
    try writeContent(row)
  }

  /// Writes a row in order of key and time.
  func writeEvent(_ row: RowBuilder) throws(AuditError) {
    row.begin()
    row.put(keyID ?? Digest256())
    row.bigTime(time ?? .min)
    row.big(position)
    try writeContent(row)
  }

  /// True where something happened that belongs into the history of a key, a hash or a request.
  var isEvent: Bool { verdict != .skipped && verdict != .unreadable }

  /// True of a row among events that says whose they are: its key, or the event at its place, is of
  /// the device that `detail` names.
  package var isDeviceNote: Bool { verdict == .skipped }

  private func writeContent(_ row: RowBuilder) throws(AuditError) {
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

  /// Reads a row that ``writeEvent(_:)`` wrote.
  init(event row: UnsafeRawBufferPointer, _ texts: TextStore) throws(AuditError) {
    let front = Self.eventKeyLength - Self.keyLength
    try unsafe self.init(UnsafeRawBufferPointer(rebasing: row[front...]), texts)
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
