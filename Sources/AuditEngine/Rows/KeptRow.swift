internal import AppAttest

/// Rows of the shuffle by key identifier as they are kept from run to run.
///
/// An ``EventRow`` with the flag `waiting` or `remembered`, whose texts are ``KeptText``. The app is
/// none, or `configured` where the App ID is that of a configured app: indexes change. Behind the
/// texts: of a waiting event of a device that is not known, its identifier; of a claimed one as well,
/// with its SHA-256; of a remembered one what was said of its counter, 1 byte. Or, with the flag
/// `marks`, behind the fields of fixed length their number, 2, and each: time, 8; counter, 4; whether
/// there is a position, 1, source, 4, line, 8. Numbers are in the machine's order.
@safe struct KeptRow {
  /// In place of the index of a configured app.
  static let configured: UInt16 = 0
  /// Marks in one row.
  static let marksPerRow = 600
  private static let markBytes = 8 + 4 + 1 + 4 + 8

  let event: EventRow
  private let appID: KeptText
  private let subject: KeptText
  private let requestID: KeptText
  private let device: KeptText?
  private let deviceDigest: Digest256?
  /// The row's bytes.
  let bytes: UnsafeRawBufferPointer

  /// Checks every length and number.
  ///
  /// - Throws: `.inconsistent` where the bytes are no row of a waiting or remembered event.
  init(_ bytes: UnsafeRawBufferPointer) throws(AuditError) {
    unsafe self.bytes = bytes
    guard bytes.count >= EventRow.fixedLength else { throw Self.broken }
    event = unsafe EventRow(bytes)
    let flags = event.flags
    guard !flags.contains(.marks), !flags.contains(.malformed),
      flags.contains(.waiting) != flags.contains(.remembered), event.section != .registry,
      event.kind == .assertion, RememberedKey.High.times.contains(event.time)
    else { throw Self.broken }
    let middle = unsafe EventRow.fixedLength + Self.middleLength(bytes, flags)
    guard bytes.count >= middle,
      let appID = unsafe KeptText.read(UnsafeRawBufferPointer(rebasing: bytes[middle...])),
      let subject = unsafe KeptText.read(appID.rest),
      let requestID = unsafe KeptText.read(subject.rest)
    else { throw Self.broken }
    self.appID = unsafe appID.text
    self.subject = unsafe subject.text
    self.requestID = unsafe requestID.text
    var tail = unsafe requestID.rest
    var device: KeptText?
    var digest: Digest256?
    if flags.contains(.waiting), event.section == .device || flags.contains(.claimed) {
      guard let text = unsafe KeptText.read(tail) else { throw Self.broken }
      device = unsafe text.text
      unsafe tail = text.rest
      if event.section == .device {
        digest = event.keyID
      } else {
        guard tail.count >= Digest256.byteCount, let base = tail.baseAddress else {
          throw Self.broken
        }
        digest = unsafe Digest256(copying: base)
        unsafe tail = UnsafeRawBufferPointer(rebasing: tail[Digest256.byteCount...])
      }
    }
    self.device = device
    deviceDigest = digest
    guard tail.count == (flags.contains(.remembered) ? 1 : 0) else { throw Self.broken }
  }

  /// Bytes between the fields of fixed length and the texts.
  private static func middleLength(
    _ bytes: UnsafeRawBufferPointer, _ flags: EventRow.Flags
  ) -> Int {
    (flags.contains(.signed) ? EventRow.signedLength : 0)
      + (flags.contains(.serverCounter) ? 4 : 0)
      + Int(unsafe bytes[EventRow.Offset.hashLength])
  }

  private static var broken: AuditError {
    AuditError(.inconsistent, "a kept row does not hold what was written to it")
  }

  // MARK: Reading

  /// Whether the flags of a row, whatever it holds, say that it waits for what a device's key is.
  static func waitsForDevice(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= EventRow.fixedLength else { return false }
    let row = unsafe EventRow(bytes)
    return row.flags.contains(.waiting) && (row.section == .device || row.flags.contains(.claimed))
  }

  /// The device of a row that waits for one, and the SHA-256 of its identifier.
  var waitingDevice: (digest: Digest256, text: KeptText)? {
    guard let device, let deviceDigest else { return nil }
    return (deviceDigest, device)
  }

  /// Whether the row is as the shuffle would have it: all texts are whole, and no app is named.
  var isPlain: Bool {
    event.flags.contains(.remembered) && !appID.isCut && !subject.isCut && !requestID.isCut
  }

  /// Writes the row as the shuffle has it, without the device.
  func write(_ apps: ConfiguredApps, _ row: RowBuilder) throws(AuditError) {
    row.begin()
    let middle = unsafe EventRow.fixedLength + Self.middleLength(bytes, event.flags)
    unsafe row.put(copying: UnsafeRawBufferPointer(rebasing: bytes[..<middle]))
    var app = EventRow.noApp
    if event.app != EventRow.noApp, !appID.isCut {
      let id = appID.bytes
      app = apps.index(ofAppID: id.span).map { UInt16($0) } ?? EventRow.noApp
    }
    unsafe row.patch { base in
      unsafe base.storeBytes(of: app, toByteOffset: EventRow.Offset.app, as: UInt16.self)
    }
    if app == EventRow.noApp { try appID.write(to: row) } else { try row.put(text: nil) }
    try subject.write(to: row)
    try requestID.write(to: row)
    guard event.flags.contains(.remembered) else { return }
    unsafe row.put(copying: UnsafeRawBufferPointer(rebasing: bytes.suffix(1)))
  }

  /// What was said of the counter, unless the event is an exact replay; rows of remembered events
  /// only.
  static func code(_ rest: EventRow.Rest) -> FindingCode? {
    var cursor = rest.tail
    return FindingCode(rawValue: cursor.number())
  }

  // MARK: Writing

  /// Starts a row with the fields of `event`.
  private static func begin(
    _ event: EventRow, _ rest: EventRow.Rest, _ flags: EventRow.Flags, isConfigured: Bool,
    _ row: RowBuilder
  ) {
    row.begin()
    unsafe row.put(copying: event.fixed)
    unsafe row.patch { base in
      unsafe base.storeBytes(
        of: flags.rawValue, toByteOffset: EventRow.Offset.flags, as: UInt8.self)
      unsafe base.storeBytes(
        of: isConfigured ? configured : EventRow.noApp, toByteOffset: EventRow.Offset.app,
        as: UInt16.self)
    }
    if flags.contains(.signed) { unsafe row.put(copying: event.signed) }
    if let counter = rest.serverCounter { row.put(counter) }
    unsafe row.put(copying: rest.clientDataHash)
  }

  private static func put(
    _ event: EventRow, _ rest: EventRow.Rest, _ apps: ConfiguredApps, _ texts: TextStore,
    _ row: RowBuilder
  ) throws(AuditError) {
    if apps.apps.indices.contains(Int(event.app)) {
      try KeptText.put(apps.apps[Int(event.app)].id, row)
    } else {
      try KeptText.put(rest.appID, texts, row)
    }
  }

  /// Writes an event that could not be verified.
  static func write(
    waiting event: EventRow, _ rest: EventRow.Rest, _ apps: ConfiguredApps, _ texts: TextStore,
    _ row: RowBuilder
  ) throws(AuditError) {
    let isConfigured = apps.apps.indices.contains(Int(event.app))
    begin(event, rest, event.flags.union(.waiting), isConfigured: isConfigured, row)
    try put(event, rest, apps, texts, row)
    try KeptText.put(rest.subject, texts, row)
    try KeptText.put(rest.requestID, texts, row)
    guard event.section == .device || event.flags.contains(.claimed) else { return }
    var tail = rest.tail
    try KeptText.put(tail.text(), texts, row)
    if event.section != .device { row.put(tail.digest()) }
  }

  /// Writes an assertion whose signature held; of one that failed another check the subject does not
  /// count.
  static func write(
    judged event: EventRow, _ rest: EventRow.Rest, _ code: FindingCode?, hasFailed: Bool,
    _ apps: ConfiguredApps, _ texts: TextStore, _ row: RowBuilder
  ) throws(AuditError) {
    let flags = event.flags.intersection(.serverCounter).union(.remembered)
    // Nothing but its name is asked of the app again.
    begin(event, rest, flags, isConfigured: false, row)
    try put(event, rest, apps, texts, row)
    if hasFailed { try row.put(text: nil) } else { try KeptText.put(rest.subject, texts, row) }
    try KeptText.put(rest.requestID, texts, row)
    row.put(code?.rawValue ?? UInt8.max)
  }
}

// MARK: Marks

extension KeptRow {
  /// Writes a row of at most `marksPerRow` marks, the `index`th of its key and run, which stands in
  /// front of its events; `source` is any of the run's.
  static func write(
    marks: ArraySlice<RememberedKey.High>, _ index: Int, of keyID: Digest256, source: UInt32,
    _ row: RowBuilder
  ) {
    EventRow.Fields(
      keyID: keyID, section: .registry, time: 0, counter: UInt32(truncatingIfNeeded: index),
      position: Position(source: source, line: 0), kind: .assertion, decision: .unknown,
      flags: .marks, app: EventRow.noApp, codes: CodeSet()
    ).write(identity: Digest256(), hashLength: 0, row)
    row.put(UInt16(marks.count))
    for mark in marks {
      row.put(mark.time)
      row.put(mark.counter)
      row.put(mark.position)
    }
  }

  /// Reads a row of marks.
  ///
  /// - Throws: `.inconsistent` where the bytes are none.
  static func marks(
    _ bytes: UnsafeRawBufferPointer
  ) throws(AuditError) -> [RememberedKey.High] {
    guard bytes.count >= EventRow.fixedLength + 2 else { throw broken }
    var cursor = unsafe RowCursor(bytes)
    cursor.skip(EventRow.fixedLength)
    let count = Int(cursor.number(UInt16.self))
    guard bytes.count == EventRow.fixedLength + 2 + count * markBytes else { throw broken }
    var marks: [RememberedKey.High] = []
    marks.reserveCapacity(count)
    for _ in 0..<count {
      let mark = RememberedKey.High(
        time: cursor.number(), counter: cursor.number(), position: cursor.optionalPosition())
      guard RememberedKey.High.times.contains(mark.time) else { throw broken }
      marks.append(mark)
    }
    return marks
  }
}
