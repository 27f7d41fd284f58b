internal import AppAttest

/// Keys as rows of their shuffle: what `KeyAudit` knows of a key, and behind it what `ReplayAudit`
/// adds, in order of the key identifier.
extension KeyRow {
  /// Key identifier, and 0 for the key or 1 for an addition; then the position that an
  /// addition comes from.
  static let keyLength = 32 + 1 + 4 + 8

  func write(_ row: RowBuilder) throws(AuditError) {
    row.begin()
    row.put(keyID)
    row.big(UInt8(0))
    row.big(Position(source: 0, line: 0))
    try row.put(repeated: appID, .appID)
    row.put(environment?.rawValue ?? UInt8.max)
    row.put(status.rawValue)
    row.put(optional: attestedAt)
    row.put(firstSeen)
    row.put(lastSeen)
    row.put(smallCount: attestations)
    row.put(smallCount: assertions)
    row.put(smallCount: verified)
    row.put(smallCount: failed)
    row.put(optional: firstCounter)
    row.put(optional: lastCounter)
    row.put(optional: missingCounters.map(Int64.init(clamping:)))
    row.put(smallCount: findings)
    row.put(worstSeverity?.rawValue ?? UInt8.max)
    try row.put(text: subject)
    try row.put(text: osVersion)
    row.put(optional: category?.rawValue)
    try row.put(text: bundleVersion)
    try row.put(text: receiptType)
    row.put(optional: receiptCreated)
    try row.put(text: riskMetric)
  }

  /// Makes a key's row without additions.
  init(_ row: UnsafeRawBufferPointer, _ texts: TextStore) throws(AuditError) {
    var cursor = unsafe RowCursor(row)
    keyID = cursor.digest()
    cursor.skip(Self.keyLength - Digest256.byteCount)
    appID = try cursor.text().string(texts)
    environment = AttestEnvironment(rawValue: cursor.number())
    guard let status = KeyStatus(rawValue: cursor.number()) else {
      throw AuditError(.inconsistent, "a key's row is not what was written")
    }
    self.status = status
    attestedAt = cursor.optional(Int64.self)
    firstSeen = cursor.number()
    lastSeen = cursor.number()
    attestations = cursor.smallCount()
    assertions = cursor.smallCount()
    verified = cursor.smallCount()
    failed = cursor.smallCount()
    firstCounter = cursor.optional(UInt32.self)
    lastCounter = cursor.optional(UInt32.self)
    missingCounters = cursor.optional(Int64.self).map(UInt64.init(clamping:))
    findings = cursor.smallCount()
    worstSeverity = Severity(rawValue: cursor.number())
    subject = try cursor.text().string(texts)
    osVersion = try cursor.text().string(texts)
    category = cursor.optional(UInt32.self).map(ValidationCategory.init(rawValue:))
    bundleVersion = try cursor.text().string(texts)
    receiptType = try cursor.text().string(texts)
    receiptCreated = cursor.optional(Int64.self)
    riskMetric = try cursor.text().string(texts)
  }

  /// Writes what a record at `position` adds to its key.
  static func writeAddition(
    keyID: Digest256, at position: Position, findings: UInt32, worst: Severity, _ row: RowBuilder
  ) {
    row.begin()
    row.put(keyID)
    row.big(UInt8(1))
    row.big(position)
    row.put(findings)
    row.put(worst.rawValue)
  }

  /// Returns whether a row is an addition.
  static func isAddition(_ row: UnsafeRawBufferPointer) -> Bool {
    unsafe row[Digest256.byteCount] == 1
  }

  /// Takes an addition in.
  mutating func add(_ row: UnsafeRawBufferPointer) {
    var cursor = unsafe RowCursor(row)
    cursor.skip(Self.keyLength)
    findings += UInt64(cursor.number(UInt32.self))
    if let worst = Severity(rawValue: cursor.number()) {
      worstSeverity = max(worstSeverity ?? worst, worst)
    }
  }
}
