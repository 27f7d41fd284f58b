internal import AppAttest

/// Keys as rows, in order of the key identifier: `KeyAudit`'s, then what `ReplayAudit` adds.
extension KeyRow: CodedRow {
  /// Key identifier, 0 for the key or 1 for an addition, and the position that it comes from.
  static let keyLength = 32 + 1 + 4 + 8

  package init() { self.init(keyID: Digest256()) }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var addition = Addition(keyID: keyID)
    try addition.key(&coder, isAddition: false)
    keyID = addition.keyID
    try coder.text(&appID)
    try coder.value(&environment)
    try coder.value(&status)
    try coder.optional(time: &attestedAt)
    try coder.time(&firstSeen)
    try coder.time(&lastSeen)
    try coder.smallCount(&attestations)
    try coder.smallCount(&assertions)
    try coder.smallCount(&verified)
    try coder.smallCount(&failed)
    try coder.optional(&firstCounter)
    try coder.optional(&lastCounter)
    try coder.optional(&missingCounters)
    try coder.smallCount(&findings)
    try coder.value(&worstSeverity)
    try coder.text(&subject)
    try facts.fields(&coder)
  }

  /// The findings that a record at `position` adds to its key.
  struct Addition: CodedRow {
    var keyID = Digest256()
    var position = Position(source: 0, line: 0)
    var findings: UInt32 = 0
    var worst = Severity.info

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try key(&coder, isAddition: true)
      try coder.number(&findings)
      try coder.value(&worst)
    }

    fileprivate mutating func key<Coder: RowCoder>(
      _ coder: inout Coder, isAddition: Bool
    ) throws(AuditError) {
      var isMarked = isAddition
      try coder.digest(&keyID)
      try coder.flag(&isMarked)
      try coder.require(isMarked == isAddition)
      try coder.key(&position)
    }
  }

  static func isAddition(_ row: UnsafeRawBufferPointer) -> Bool {
    unsafe row.count > Digest256.byteCount && row[Digest256.byteCount] == 1
  }

  mutating func add(_ addition: Addition) {
    findings += UInt64(addition.findings)
    worstSeverity = max(worstSeverity ?? addition.worst, addition.worst)
  }
}
