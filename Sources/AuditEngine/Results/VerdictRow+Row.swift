internal import AppAttest
internal import AuditLog
internal import Basics

/// Verdicts as rows of their shuffles: in order of source and line, and in order of key and time.
extension VerdictRow: CodedRow {
  /// Source and line.
  static let keyLength = 4 + 8
  /// Key identifier, or zeroes; time; counter; source and line.
  static let eventKeyLength = Digest256.byteCount + 8 + 4 + keyLength

  package init() { self.init(position: Position(source: 0, line: 0), verdict: .valid, codes: []) }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.key(&position)
    try coder.optional(time: &time)
    try coder.optional(&keyID)
    try otherFields(&coder, [])
  }

  /// Codes an event's row, which has key, time and place in its key.
  private mutating func eventFields<Coder: RowCoder>(
    _ coder: inout Coder, _ apps: [String]
  ) throws(AuditError) {
    var (key, keyTime, keyCounter) = (keyID ?? Digest256(), time ?? .min, counter ?? 0)
    try coder.digest(&key)
    try coder.key(time: &keyTime)
    try coder.key(&keyCounter)
    if coder.isReading {
      keyID = key == Digest256() ? nil : key
      time = keyTime == .min ? nil : keyTime
    }
    try coder.key(&position)
    try otherFields(&coder, apps)
  }

  /// Codes the fields that are in no key: the numbers; the clientDataHash; the place of the App ID in
  /// `apps`, or ``EventRow/noApp`` and the App ID; the texts; the values that the token carries.
  private mutating func otherFields<Coder: RowCoder>(
    _ coder: inout Coder, _ apps: [String]
  ) throws(AuditError) {
    try coder.value(&kind)
    try coder.optional(&counter)
    try coder.value(&verdict)
    try coder.codes(&codes)
    try coder.value(&decision)
    try coder.counted(&clientDataHash)
    let place = coder.isReading ? nil : apps.firstIndex { $0.isSame(as: appID) }
    var app = place.map { UInt16($0) } ?? EventRow.noApp
    try coder.number(&app)
    if apps.indices.contains(Int(app)) {
      // Threads that count references to one string slow each other down.
      if coder.isReading, !appID.isSame(as: apps[Int(app)]) { appID = apps[Int(app)] }
    } else {
      try coder.text(&appID)
    }
    try coder.text(&subject)
    try coder.text(&requestID)
    try coder.text(&detail)
    try coder.optional(&category)
    try coder.text(&bundleVersion)
    try coder.counted(&codeHash)
  }

  consuming func writeEvent(_ row: RowBuilder, apps: [String]) throws(AuditError) {
    row.begin()
    var encoder = RowEncoder(row)
    try eventFields(&encoder, apps)
    encoder.finish()
  }

  /// Reads a row that ``writeEvent(_:apps:)`` wrote.
  mutating func read(
    event row: UnsafeRawBufferPointer, _ shuffles: Shuffles
  ) throws(AuditError) {
    var decoder = unsafe RowDecoder(row, shuffles.texts)
    try eventFields(&decoder, shuffles.apps)
  }

  /// Whether something happened that belongs into the history of a key, a hash or a request.
  var isEvent: Bool { verdict != .skipped && verdict != .unreadable }

  /// True of a row that says whose events are: its key, or the event at its place, is of a device.
  package var isDeviceNote: Bool { verdict == .skipped }

  /// Returns the bytes of the texts of a row of ``writeEvent(_:apps:)`` that are kept elsewhere.
  static func longTextBytes(event row: UnsafeRawBufferPointer) -> UInt64 {
    var cursor = unsafe RowCursor(row)
    cursor.skip(eventKeyLength + 1)
    var counter: UInt32?
    withoutFailure { () throws(AuditError) in try cursor.optional(&counter) }
    cursor.skip(1 + MemoryLayout<UInt64>.size + 1)
    cursor.skip(Int(cursor.number(UInt8.self)))
    let appID = cursor.number(UInt16.self) == EventRow.noApp ? cursor.text().storedLength : 0
    let (subject, requestID, detail) = (cursor.text(), cursor.text(), cursor.text())
    return appID + subject.storedLength + requestID.storedLength + detail.storedLength
  }

  /// Takes the values about the app's build that the event's token carries.
  mutating func take(_ token: TokenFacts) {
    category = token.category
    bundleVersion = token.bundleVersion
    codeHash = token.codeHash
  }
}
