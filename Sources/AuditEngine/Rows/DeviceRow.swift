internal import AppAttest

/// A row of the shuffle by device: an attestation that names the device, an assertion that names
/// nothing else, or a finding that waits for the assertion's key.
///
/// An attestation goes in twice: once in front of everything, and once as an event, its time put
/// `reorderTolerance` back, so that it comes before every assertion that it is there for. A
/// view, valid as long as the row is.
///
/// Layout: the key; of an attestation the key identifier, 1 byte of ``DeviceClaim``, and in
/// the registry the device identifier as ``RowText`` and its public key (the point of 65
/// bytes, or nothing if it is not valid); of an
/// assertion the device identifier as ``RowText`` and its ``EventRow``; of a finding its row.
@safe struct DeviceRow {
  /// SHA-256 of the device identifier, section, time, class, counter, source, line.
  static let keyLength = 32 + 1 + 8 + 1 + 4 + 4 + 8

  /// The fields at the front.
  enum Section: UInt8 {
    case registry, event
  }

  /// The content of the row.
  @safe enum Content {
    /// `point` is the public key, in the registry; else it has no bytes.
    case attestation(keyID: Digest256, claim: DeviceClaim, point: UnsafeRawBufferPointer)
    /// `event` is the bytes of an ``EventRow``.
    case assertion(device: RowText, event: UnsafeRawBufferPointer)
    /// The bytes of a ``FindingRow``.
    case finding(UnsafeRawBufferPointer)
  }

  /// The kind of content that a row has.
  enum Class: UInt8 {
    case attestation, assertion, finding
  }

  /// SHA-256 of the device identifier.
  let device: Digest256
  let section: Section
  /// The time at which an event happened. For an attestation among the events, it is the time from
  /// which on it counts.
  let time: Int64
  let content: Content
  /// The device identifier, in the registry.
  private(set) var text: RowText?

  init(_ row: UnsafeRawBufferPointer) throws(AuditError) {
    var cursor = unsafe RowCursor(row)
    device = cursor.digest()
    guard let section = Section(rawValue: cursor.number()) else { throw Self.broken }
    self.section = section
    time = cursor.bigTime()
    guard let contentClass = Class(rawValue: cursor.number()) else { throw Self.broken }
    cursor.skip(4 + 4 + 8)
    switch contentClass {
    case .attestation:
      let keyID = cursor.digest()
      guard let claim = DeviceClaim(rawValue: cursor.number()) else { throw Self.broken }
      if unsafe section == .registry && !cursor.remainder().isEmpty { text = cursor.text() }
      content = unsafe .attestation(keyID: keyID, claim: claim, point: cursor.remainder())
    case .assertion:
      content = unsafe .assertion(device: cursor.text(), event: cursor.remainder())
    case .finding:
      content = unsafe .finding(cursor.remainder())
    }
  }

  private static var broken: AuditError {
    AuditError(.inconsistent, "a device's row is not what was written")
  }

  // MARK: Writing

  private static func begin(
    _ device: Digest256, _ section: Section, _ time: Int64, _ contentClass: Class,
    counter: UInt32 = 0, _ position: Position, _ row: RowBuilder
  ) {
    row.begin()
    row.put(device)
    row.big(section.rawValue)
    row.bigTime(time)
    row.big(contentClass.rawValue)
    row.big(counter)
    row.big(position)
  }

  /// Writes an attestation; `time` is as the section has it.
  static func write(
    attestation keyID: Digest256, _ claim: DeviceClaim, of device: Digest256, _ section: Section,
    time: Int64, position: Position, _ row: RowBuilder
  ) {
    begin(device, section, time, .attestation, position, row)
    row.put(keyID)
    row.put(claim.rawValue)
  }

  /// Writes an assertion, whose row is `event`; `text` is the device identifier.
  static func write(
    assertion event: UnsafeRawBufferPointer, of device: Digest256, text: Span<UInt8>,
    _ row: RowBuilder
  ) throws(AuditError) {
    let view = unsafe EventRow(event)
    begin(
      device, .event, view.time, .assertion, counter: view.counter, view.position, row)
    try row.put(text: text)
    unsafe row.put(copying: event)
  }

  /// Writes an assertion of an earlier run; `event` is its row as the shuffle has it.
  static func write(
    waiting event: UnsafeRawBufferPointer, of device: Digest256, text: KeptText, _ row: RowBuilder
  ) throws(AuditError) {
    let view = unsafe EventRow(event)
    begin(
      device, .event, view.time, .assertion, counter: view.counter, view.position, row)
    try text.write(to: row)
    unsafe row.put(copying: event)
  }

  /// Writes a finding about an assertion at `time`; `finding` is its row.
  static func write(
    finding: UnsafeRawBufferPointer, of device: Digest256, time: Int64, position: Position,
    _ row: RowBuilder
  ) {
    begin(device, .event, time, .finding, position, row)
    unsafe row.put(copying: finding)
  }
}
