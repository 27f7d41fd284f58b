/// Rejects as rows of their shuffle, in order of source and line.
extension RejectRow: CodedRow {
  /// Source and line.
  static let keyLength = 4 + 8

  package init() { self.init(position: Position(source: 0, line: 0)) }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.key(&position)
    try coder.number(&byteOffset)
    try coder.value(&code)
    try coder.text(&reason)
    var count = UInt16(head.count)
    try coder.number(&count)
    try coder.bytes(&head, count: Int(count))
  }
}
