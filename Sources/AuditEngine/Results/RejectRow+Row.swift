/// Rejects as rows of their shuffle, in order of source and line.
extension RejectRow {
  /// Source and line.
  static let keyLength = 4 + 8

  func write(_ row: RowBuilder) throws(AuditError) {
    row.begin()
    row.big(position)
    row.put(byteOffset)
    row.put(code.rawValue)
    try row.put(repeated: reason, .sentence)
    row.put(UInt16(head.count))
    row.put(head.span)
  }

  init(_ row: UnsafeRawBufferPointer, _ texts: TextStore) throws(AuditError) {
    var cursor = unsafe RowCursor(row)
    position = cursor.position()
    byteOffset = cursor.number()
    guard let code = FindingCode(rawValue: cursor.number()) else {
      throw AuditError(.inconsistent, "a reject's row is not what was written")
    }
    self.code = code
    reason = try cursor.text().string(texts)
    let count = Int(cursor.number(UInt16.self))
    head = unsafe Array(cursor.bytes(count))
  }
}
