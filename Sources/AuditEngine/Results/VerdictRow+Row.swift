internal import AppAttest
internal import AuditLog
internal import Basics

/// Verdicts as rows of their shuffles: in order of source and line, and in order of key and time.
extension VerdictRow {
  /// Source and line.
  static let keyLength = 4 + 8
  /// Key identifier, or zeroes; time; counter; source and line.
  static let eventKeyLength = Digest256.byteCount + 8 + 4 + keyLength

  /// Writes a row in order of source and line.
  func write(_ row: RowBuilder) throws(AuditError) {
    row.begin()
    row.big(position)
    try writeContent(row)
  }

  /// The fields of an event's row that come before its texts.
  struct EventFields {
    var keyID: Digest256?
    var time: Int64?
    var position: Position
    var kind: RecordKind?
    var counter: UInt32?
    var verdict: Verdict
    var codes: CodeSet
    var decision: Decision

    /// Starts a row with these fields: key, time and place are nowhere but in its key.
    func write(_ row: RowBuilder) {
      row.begin()
      row.put(keyID ?? Digest256())
      row.bigTime(time ?? .min)
      row.big(counter ?? 0)
      row.big(position)
      row.put(kind?.rawValue ?? UInt8.max)
      row.put(optional: counter)
      row.put(verdict.rawValue)
      row.put(codes.bits)
      row.put(decision.rawValue)
    }
  }

  /// Writes a row in order of key and time: behind the fields the length of the clientDataHash, 1
  /// byte, and the hash; the place of the App ID in `apps`, 2 bytes, or ``EventRow/noApp`` and the
  /// App ID; subject, request identifier and detail; the values that the token carries.
  func writeEvent(_ row: RowBuilder, apps: [String]) throws(AuditError) {
    EventFields(
      keyID: keyID, time: time, position: position, kind: kind, counter: counter, verdict: verdict,
      codes: CodeSet(codes), decision: decision
    ).write(row)
    row.put(UInt8(clientDataHash.count))
    row.put(clientDataHash.span)
    if let app = apps.firstIndex(where: { $0.isSame(as: appID) }) {
      row.put(UInt16(app))
    } else {
      row.put(EventRow.noApp)
      try row.put(text: appID)
    }
    try row.put(text: subject)
    try row.put(text: requestID)
    try row.put(text: detail)
    try Self.write(category, bundleVersion, codeHash, row)
  }

  /// Writes the values about the app's build that a token carries.
  static func write(
    _ category: ValidationCategory?, _ bundleVersion: String, _ codeHash: [UInt8],
    _ row: RowBuilder
  ) throws(AuditError) {
    row.put(optional: category?.rawValue)
    try row.put(text: bundleVersion)
    row.put(UInt8(codeHash.count))
    row.put(codeHash.span)
  }

  /// Whether something happened that belongs into the history of a key, a hash or a request.
  var isEvent: Bool { verdict != .skipped && verdict != .unreadable }

  /// True of a row among events that says whose they are: its key, or the event at its place, is of
  /// the device that `detail` names.
  package var isDeviceNote: Bool { verdict == .skipped }

  private func writeContent(_ row: RowBuilder) throws(AuditError) {
    row.put(optional: time)
    row.put(kind?.rawValue ?? UInt8.max)
    row.put(keyID == nil ? UInt8(0) : 1)
    if let keyID { row.put(keyID) }
    try row.put(repeated: appID, .appID)
    row.put(UInt8(clientDataHash.count))
    row.put(clientDataHash.span)
    row.put(optional: counter)
    row.put(verdict.rawValue)
    row.put(CodeSet(codes).bits)
    row.put(decision.rawValue)
    try row.put(text: subject)
    try row.put(text: requestID)
    try row.put(repeated: detail, .sentence)
    try Self.write(category, bundleVersion, codeHash, row)
  }

  /// Reads a row that ``writeEvent(_:apps:)`` wrote.
  init(event row: UnsafeRawBufferPointer, _ shuffles: Shuffles) throws(AuditError) {
    let texts = shuffles.texts
    var cursor = unsafe RowCursor(row)
    let key = cursor.digest()
    keyID = key == Digest256() ? nil : key
    let time = cursor.bigTime()
    self.time = time == .min ? nil : time
    cursor.skip(MemoryLayout<UInt32>.size)
    position = cursor.position()
    kind = RecordKind(rawValue: cursor.number())
    counter = cursor.optional(UInt32.self)
    verdict = try Self.verdict(cursor.number())
    codes = CodeSet(bits: cursor.number()).codes
    decision = Decision(rawValue: cursor.number()) ?? .unknown
    let count = Int(cursor.number(UInt8.self))
    clientDataHash = unsafe Array(cursor.bytes(count))
    let app = Int(cursor.number(UInt16.self))
    appID =
      shuffles.apps.indices.contains(app) ? shuffles.apps[app] : try cursor.text().string(texts)
    subject = try cursor.text().string(texts)
    requestID = try cursor.text().string(texts)
    detail = try cursor.text().string(texts)
    try readBuild(&cursor, texts)
  }

  /// Reads what ``write(_:_:_:_:)`` wrote.
  private mutating func readBuild(
    _ cursor: inout RowCursor, _ texts: TextStore
  ) throws(AuditError) {
    category = cursor.optional(UInt32.self).map(ValidationCategory.init(rawValue:))
    bundleVersion = try cursor.text().string(texts)
    let hashLength = Int(cursor.number(UInt8.self))
    codeHash = unsafe Array(cursor.bytes(hashLength))
  }

  /// Returns the bytes of the texts that are kept elsewhere, of a row that ``writeEvent(_:apps:)``
  /// wrote.
  static func longTextBytes(event row: UnsafeRawBufferPointer) -> UInt64 {
    var cursor = unsafe RowCursor(row)
    cursor.skip(eventKeyLength + 1)
    _ = cursor.optional(UInt32.self)
    cursor.skip(1 + MemoryLayout<UInt64>.size + 1)
    cursor.skip(Int(cursor.number(UInt8.self)))
    let appID = cursor.number(UInt16.self) == EventRow.noApp ? cursor.text().storedLength : 0
    let (subject, requestID, detail) = (cursor.text(), cursor.text(), cursor.text())
    return appID + subject.storedLength + requestID.storedLength + detail.storedLength
  }

  /// Becomes the row of an event of a key, of which its row in the shuffle by key identifier says
  /// all but what `amendment` does.
  ///
  /// - Parameter hasApp: Whether the row before was of the same configured app. Its name then stays
  /// as
  ///   it is: threads that count references to one string slow each other down.
  mutating func read(
    _ event: EventRow, _ amendment: VerdictAmendment, _ shuffles: Shuffles, hasApp: Bool
  ) throws(AuditError) {
    let rest = event.rest
    keyID = event.keyID
    time = event.time
    position = event.position
    kind = event.kind
    counter = event.flags.contains(.malformed) ? nil : event.counter
    verdict = amendment.verdict
    codes = amendment.codes.codes
    decision = event.decision
    clientDataHash.removeAll(keepingCapacity: true)
    unsafe clientDataHash.append(contentsOf: rest.clientDataHash)
    if !hasApp {
      let app = Int(event.app)
      appID =
        shuffles.apps.indices.contains(app)
        ? shuffles.apps[app] : try rest.appID.string(shuffles.texts)
    }
    // A key's events have one subject, as a rule.
    if !rest.subject.isInline(subject) { subject = try rest.subject.string(shuffles.texts) }
    requestID = try rest.requestID.string(shuffles.texts)
    let token = amendment.isSigned ? rest.texts.token : TokenFacts()
    category = token.category
    bundleVersion = token.bundleVersion
    codeHash = token.codeHash
  }

  private static func verdict(_ value: UInt8) throws(AuditError) -> Verdict {
    guard let verdict = Verdict(rawValue: value) else {
      throw AuditError(.inconsistent, "a verdict's row is not what was written")
    }
    return verdict
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
    verdict = try Self.verdict(cursor.number())
    codes = CodeSet(bits: cursor.number()).codes
    decision = Decision(rawValue: cursor.number()) ?? .unknown
    subject = try cursor.text().string(texts)
    requestID = try cursor.text().string(texts)
    detail = try cursor.text().string(texts)
    try readBuild(&cursor, texts)
  }
}
