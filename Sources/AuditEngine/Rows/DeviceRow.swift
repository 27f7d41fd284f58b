internal import AppAttest

/// A row of the shuffle by device: an attestation that names it (in front of everything, and as an
/// event), an assertion that names nothing else, or a finding that waits for its key. A view, valid as
/// long as the row. Layout: the key; of an attestation the key identifier, 1 byte of ``DeviceClaim``,
/// and in the registry the device identifier as ``RowText`` and its public key (65 bytes, or none if
/// it is not valid); of an assertion the device identifier and its ``EventRow``; of a finding its row.
@safe struct DeviceRow {
  /// SHA-256 of the device identifier, section, time, class, counter, source, line.
  static let keyLength = 32 + 1 + 8 + 1 + 4 + 4 + 8

  /// The fields at the front.
  enum Section: UInt8 {
    case registry, event
  }

  @safe enum Content {
    /// `point` is the public key, in the registry; else it has no bytes.
    case attestation(keyID: Digest256, claim: DeviceClaim, point: UnsafeRawBufferPointer)
    /// `event` is the bytes of an ``EventRow``.
    case assertion(device: RowText, event: UnsafeRawBufferPointer)
    /// The bytes of a ``FindingRow``.
    case finding(UnsafeRawBufferPointer)
  }

  enum Class: UInt8 {
    case attestation, assertion, finding
  }

  struct Key: CodedRow {
    /// SHA-256 of the device identifier.
    var device = Digest256()
    var section = Section.event
    /// The time at which an event happened, or from which an attestation counts.
    var time: Int64 = 0
    var contentClass = Class.attestation
    var counter: UInt32 = 0
    var position = Position(source: 0, line: 0)

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.digest(&device)
      try coder.value(&section)
      try coder.key(time: &time)
      try coder.value(&contentClass)
      try coder.key(&counter)
      try coder.key(&position)
    }
  }

  private let key: Key
  let content: Content
  /// The device identifier, in the registry.
  private(set) var text: RowText?

  var device: Digest256 { key.device }
  var section: Section { key.section }
  var time: Int64 { key.time }
  var position: Position { key.position }

  init(_ row: UnsafeRawBufferPointer) throws(AuditError) {
    var (decoder, key) = (unsafe RowDecoder(row), Key())
    try key.fields(&decoder)
    self.key = key
    switch key.contentClass {
    case .attestation:
      var (keyID, claim) = (Digest256(), DeviceClaim.failed)
      try decoder.digest(&keyID)
      try decoder.value(&claim)
      if key.section == .registry && decoder.hasMore { text = try decoder.text() }
      content = unsafe .attestation(
        keyID: keyID, claim: claim, point: try decoder.span(decoder.rest))
    case .assertion:
      content = unsafe .assertion(
        device: try decoder.text(), event: try decoder.span(decoder.rest))
    case .finding: content = unsafe .finding(try decoder.span(decoder.rest))
    }
  }

  /// Checks a row from another process.
  static func check(_ row: inout RowDecoder) throws(AuditError) {
    var key = Key()
    try key.fields(&row)
    switch key.contentClass {
    case .attestation:
      var claim = DeviceClaim.failed
      try row.skip(Digest256.byteCount)
      try row.value(&claim)
      if key.section == .registry {
        try row.text()
        if row.hasMore { try row.skip(65) }
      }
    case .assertion:
      try row.text()
      try EventRow.check(&row, isJoined: false)
    case .finding: try row.check(FindingRow.self)
    }
  }

  // MARK: Writing

  private static func begin(_ key: Key, _ row: RowBuilder) {
    row.begin()
    row.put(key)
  }

  /// Writes an attestation; `time` is as the section has it.
  static func write(
    attestation keyID: Digest256, _ claim: DeviceClaim, of device: Digest256, _ section: Section,
    time: Int64, position: Position, _ row: RowBuilder
  ) {
    begin(Key(device: device, section: section, time: time, position: position), row)
    row.put(keyID)
    row.put(claim.rawValue)
  }

  /// Writes an assertion, whose row is `event`; `text` is the device identifier.
  static func write(
    assertion event: UnsafeRawBufferPointer, of device: Digest256, text: Span<UInt8>,
    _ row: RowBuilder
  ) throws(AuditError) {
    begin(Key(device, unsafe EventRow(event)), row)
    try row.put(text: text)
    unsafe row.put(copying: event)
  }

  /// Writes an assertion of an earlier run; `event` is its row as the shuffle has it.
  static func write(
    waiting event: UnsafeRawBufferPointer, of device: Digest256, text: RowText, _ row: RowBuilder
  ) {
    begin(Key(device, unsafe EventRow(event)), row)
    row.put(text)
    unsafe row.put(copying: event)
  }

  /// Writes a finding about an assertion at `time`; `finding` is its row.
  static func write(
    finding: UnsafeRawBufferPointer, of device: Digest256, time: Int64, position: Position,
    _ row: RowBuilder
  ) {
    begin(Key(device: device, time: time, contentClass: .finding, position: position), row)
    unsafe row.put(copying: finding)
  }
}

extension DeviceRow.Key {
  fileprivate init(_ device: Digest256, _ event: EventRow) {
    self.init(
      device: device, time: event.time, contentClass: .assertion, counter: event.counter,
      position: event.position)
  }
}
