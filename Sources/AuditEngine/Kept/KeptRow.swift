internal import AppAttest
internal import AuditLog

/// Rows of the shuffle by key identifier as they are kept from run to run.
///
/// An ``EventRow`` with the flag `waiting` or `remembered`, of which long texts are cut
/// (``RowText``). The app is none, or `configured` where the App ID is that of a configured app:
/// indexes change. Of a remembered assertion the flag `valid` says that its signature held. Behind
/// the texts, of a waiting event of a device that is not known, its identifier; of a claimed one as
/// well, with its SHA-256. A remembered assertion that named its device alone has both, too, and
/// its signature: the flag `claimed` says so. A malformed token is kept only as a waiting event of
/// a device.
///
/// The bytes of a ``KeySnapshot`` come before the first row that a run keeps of a key: what had
/// been known before the run. Its rows have the flags `marks` and `remembered`, the least time, the
/// run's first source in place of the counter, and as lines their numbers; the bytes stand behind
/// the fields of fixed length. Rows of the flags `departed` say that an event which an earlier run
/// kept is its key's no more (``DepartedEvents``): their fields are those of the event. A row with the flag `marks` only
/// says that another log has an attestation of the key (`pipeline.R15`). Numbers are
/// in the machine's order; codes are those of ``CodeSet/kept``.
@safe struct KeptRow {
  /// The value that takes the place of the index of a configured app.
  static let configured: UInt16 = 0
  /// Bytes of a snapshot in one row.
  static let snapshotBytes = 8192

  let event: EventRow
  private let appID: RowText
  private let texts: RowTexts
  /// The device of an assertion that named nothing else, and the SHA-256 of its identifier.
  let device: (digest: Digest256, text: RowText)?
  let bytes: UnsafeRawBufferPointer

  /// Checks every length and number, or throws `.inconsistent`.
  init(_ bytes: UnsafeRawBufferPointer) throws(AuditError) {
    unsafe self.bytes = bytes
    var row = unsafe RowDecoder(bytes)
    try row.skip(EventRow.fixedLength)
    let event = unsafe EventRow(bytes)
    self.event = event
    let flags = event.flags
    try row.require(
      !flags.contains(.marks)
        && (!flags.contains(.malformed) || flags.contains(.waiting) && event.namesDeviceOnly)
        && flags.contains(.waiting) != flags.contains(.remembered) && event.section != .registry
        && event.kind != .challenge && (event.kind == .assertion || flags.contains(.remembered))
        && KeptKey.High.times.contains(event.time))
    try unsafe row.skip(Self.middleLength(bytes, flags))
    appID = try row.wholeText()
    texts = try row.rowTexts(whole: true)
    if event.namesDeviceOnly {
      let text = try row.wholeText()
      var digest = event.keyID
      if event.section != .device { try row.digest(&digest) }
      device = (digest, text)
    } else {
      device = nil
    }
    try row.require(row.rest == 0)
  }

  /// Returns the number of bytes between the fields of fixed length and the texts.
  private static func middleLength(
    _ bytes: UnsafeRawBufferPointer, _ flags: EventRow.Flags
  ) -> Int {
    (flags.contains(.signed) ? EventRow.signedLength : 0)
      + (flags.contains(.serverCounter) ? 4 : 0)
      + Int(unsafe bytes[EventRow.Offset.hashLength])
  }

  // MARK: Reading

  /// Reads a row of an assertion that named only its device, unless it `departed` from its key. Gives
  /// nil for any other row.
  init?(
    ofDevice bytes: UnsafeRawBufferPointer, _ departed: inout DepartedEvents
  ) throws(AuditError) {
    let row = unsafe EventRow(bytes)
    let flags = row.flags
    if DepartedEvents.isMark(row) {
      departed.take(row, isKept: true)
      return nil
    }
    guard flags.isDisjoint(with: .marks) else { return nil }
    if !flags.contains(.waiting), departed.departure(of: row) != nil { return nil }
    guard row.namesDeviceOnly else { return nil }
    unsafe try self.init(bytes)
  }

  /// Writes the row as the shuffle has it, without the device, and `remembered` unless its key is
  /// still to be found: what verifies a signature is there then.
  func write(_ apps: ConfiguredApps, hasKey: Bool = true, _ row: RowBuilder) {
    row.begin()
    let middle = unsafe EventRow.fixedLength + Self.middleLength(bytes, event.flags)
    var flags = event.flags
    if flags.contains(.remembered) { flags.remove(.claimed) }
    if hasKey, flags.contains(.remembered), flags.contains(.signed) {
      flags.remove(.signed)
      unsafe row.put(copying: event.fixed)
      let behind = EventRow.fixedLength + EventRow.signedLength
      unsafe row.put(copying: UnsafeRawBufferPointer(rebasing: bytes[behind..<middle]))
    } else {
      unsafe row.put(copying: UnsafeRawBufferPointer(rebasing: bytes[..<middle]))
    }
    if hasKey { flags.insert(.remembered) }
    var app = EventRow.noApp
    if event.app != EventRow.noApp, !appID.isCut, let id = unsafe appID.inline {
      app = unsafe apps.index(ofAppID: Span(_unsafeBytes: id)).map { UInt16($0) } ?? EventRow.noApp
    }
    row.patch(event.codes.bits, at: EventRow.Offset.codes)
    row.patch(app, at: EventRow.Offset.app)
    row.patch(flags.rawValue, at: EventRow.Offset.flags)
    row.put(unsafe app == EventRow.noApp ? appID : .absent)
    row.put(texts)
  }

  // MARK: Writing

  /// Writes an event up to its texts.
  private static func write(
    _ event: EventRow, _ rest: EventRow.Rest, _ flags: EventRow.Flags, _ apps: ConfiguredApps,
    _ row: RowBuilder
  ) throws(AuditError) {
    let app = apps.ids.indices.contains(Int(event.app)) ? apps.ids[Int(event.app)] : nil
    row.begin()
    unsafe row.put(copying: event.fixed)
    row.patch(event.codes.bits, at: EventRow.Offset.codes)
    row.patch(flags.rawValue, at: EventRow.Offset.flags)
    row.patch(app == nil ? EventRow.noApp : configured, at: EventRow.Offset.app)
    if flags.contains(.signed) { unsafe row.put(copying: event.signed) }
    if let counter = rest.serverCounter { row.put(counter) }
    unsafe row.put(copying: rest.clientDataHash)
    if let app { try row.put(kept: app) } else { try row.put(kept: rest.appID) }
    try row.put(kept: rest.texts)
  }

  /// Writes an event that could not be verified.
  static func write(
    waiting event: EventRow, _ rest: EventRow.Rest, _ apps: ConfiguredApps, _ row: RowBuilder
  ) throws(AuditError) {
    try write(event, rest, event.flags.subtracting(.moved).union(.waiting), apps, row)
    guard event.namesDeviceOnly else { return }
    var tail = rest.tail
    try row.put(kept: tail.text())
    if event.section != .device { row.put(tail.digest()) }
  }

  /// Writes an event whose key was trusted; `holds` says of an assertion whether its signature did.
  static func write(
    judged event: EventRow, _ rest: EventRow.Rest, holds: Bool, _ apps: ConfiguredApps,
    _ row: RowBuilder
  ) throws(AuditError) {
    var tail = rest.tail
    let namesDevice = unsafe event.kind == .assertion && !tail.remainder().isEmpty
    var flags = event.flags.intersection([.serverCounter, .valid]).union(.remembered)
    if event.kind == .assertion { flags.remove(.valid) }
    if holds { flags.insert(.valid) }
    if namesDevice { flags.formUnion(event.flags.intersection(.signed).union(.claimed)) }
    try write(event, rest, flags, apps, row)
    guard namesDevice else { return }
    try row.put(kept: tail.text())
    row.put(tail.digest())
  }
}

// MARK: Snapshots

extension KeptRow {
  private static let snapshotFlags: EventRow.Flags = [.marks, .remembered]

  /// Writes one row of a key's snapshot, the `index`th; `run` is the run's first source.
  static func write(
    snapshot bytes: ArraySlice<UInt8>, _ index: Int, of keyID: Digest256, run: UInt32,
    _ row: RowBuilder
  ) {
    EventRow.Fields(
      keyID: keyID, section: .registry, time: .min, counter: run,
      position: Position(source: run, line: UInt64(index)), kind: .assertion, decision: .unknown,
      flags: snapshotFlags, app: EventRow.noApp, codes: CodeSet()
    ).write(identity: Digest256(), hashLength: 0, row)
    row.put(Array(bytes).span)
  }

  /// Returns the bytes of a row of a snapshot, or nil for any other row.
  static func snapshot(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard bytes.count >= EventRow.fixedLength,
      unsafe EventRow(bytes).flags.isSuperset(of: snapshotFlags)
    else { return nil }
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[EventRow.fixedLength...])
  }
}
