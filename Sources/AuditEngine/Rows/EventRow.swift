internal import AppAttest
internal import AuditLog
internal import Glibc

/// A record as it leaves the decoder: a row of the shuffle by key identifier, an attestation also
/// in front of its key's events, for the registry. A view, valid as long as the row. Layout: the
/// key; kind, decision and flags of 1 byte each; app, 2; codes, 8; identity, 16; digest of the
/// record, 8; the length of the client data, 4, and of the clientDataHash, 1; of an assertion with
/// a signature r ‖ s ‖ digest, 96; the server's counter, 4, if there; the clientDataHash; the App
/// ID as ``RowText``; the request's texts as ``RowTexts``; the registry's facts, or the device of
/// an event without a key. Kept rows: ``KeptRow``.
@safe struct EventRow {
  /// Key identifier, section, time, counter, source, line and item.
  static let keyLength = 32 + 1 + 8 + 4 + 4 + 8
  static let noApp = UInt16.max
  static let noClientData = UInt32.max
  /// Bytes of the fields of fixed length, the key included.
  static let fixedLength = Offset.signed
  /// Bytes of r ‖ s ‖ digest, 32 each, the numbers big-endian.
  static let signedLength = 96

  /// The section of a key's rows. Rows of a lower section come first.
  enum Section: UInt8 {
    case registry, event
    /// An event of a device with an unknown key: the SHA-256 of the device identifier is its key.
    case device
  }

  /// Facts of a record besides its fields.
  struct Flags: OptionSet {
    let rawValue: UInt8
    /// A record whose token is malformed: nothing but counts is taken from it.
    static let malformed = Flags(rawValue: 1)
    /// A valid attestation (`verification.md`), or an earlier assertion whose signature held.
    static let valid = Flags(rawValue: 2)
    /// A row that has r ‖ s ‖ digest. Without it the signature cannot hold.
    static let signed = Flags(rawValue: 4)
    /// A row that has the counter that the server had stored.
    static let serverCounter = Flags(rawValue: 8)
    /// An event that is this key's only by what a failed attestation says of the event's device.
    static let claimed = Flags(rawValue: 16)
    /// An event that an earlier run judged as one of its key.
    static let remembered = Flags(rawValue: 32)
    /// A row that is no event: what was known of a key before the rows that an earlier run kept.
    static let marks = Flags(rawValue: 64)
    /// An event that could not be verified in an earlier run, which counted it.
    static let waiting = Flags(rawValue: 128)

    /// A row that is no event: the line behind has an event that is the key's no more.
    static let departed: Flags = [.marks, .waiting]
    /// An event that an earlier run judged as one of another key: its device had this one.
    static let moved: Flags = [.waiting, .valid]
    /// An event that an earlier run judged, and that is its key's no more, or was damage.
    static let leaving: Flags = [.marks, .remembered]
  }

  enum Offset {
    static let section = 32
    static let time = 33
    static let counter = 41
    static let position = 45
    static let kind = 57
    static let decision = 58
    static let flags = 59
    static let app = 60
    static let codes = 62
    static let identity = 70
    static let recordDigest = 86
    static let clientDataLength = 94
    static let hashLength = 98
    static let signed = 99
  }

  private let row: UnsafeRawBufferPointer

  init(_ row: UnsafeRawBufferPointer) {
    precondition(row.count >= Offset.signed, "a row ends before its fields do")
    unsafe self.row = row
  }

  var fixed: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: row[..<Self.fixedLength])
  }

  private func number<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number {
    unsafe row.baseAddress.unsafelyUnwrapped.loadUnaligned(fromByteOffset: offset, as: Number.self)
  }

  /// Compares the keys of two rows, and their sources by `order`: below 0 if the first comes first.
  static func compare(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ order: SourceOrder
  ) -> Int {
    let difference = unsafe memcmp(left, right, Offset.position)
    guard difference == 0 else { return Int(difference) }
    func place(_ row: UnsafeRawPointer) -> Position {
      order.place(
        of: unsafe EventRow(UnsafeRawBufferPointer(start: row, count: fixedLength)).position)
    }
    let (first, second) = unsafe (place(left), place(right))
    return first < second ? -1 : second < first ? 1 : 0
  }

  var keyID: Digest256 { unsafe Digest256(copying: row.baseAddress.unsafelyUnwrapped) }
  /// The key identifier, or nil if a device stands in its place.
  var knownKeyID: Digest256? { section == .device ? nil : keyID }
  /// Whether its device was its only name, and which key that has is not known for certain.
  var namesDeviceOnly: Bool { section == .device || flags.contains(.claimed) }
  var section: Section { Section(rawValue: number(Offset.section)) ?? .event }
  var time: Int64 { Int64(bitPattern: UInt64(bigEndian: number(Offset.time)) ^ 1 << 63) }
  var counter: UInt32 { UInt32(bigEndian: number(Offset.counter)) }
  var knownCounter: UInt32? { flags.contains(.malformed) ? nil : counter }
  var position: Position {
    Position(
      source: UInt32(bigEndian: number(Offset.position)),
      lineItem: UInt64(bigEndian: number(Offset.position + 4)))
  }
  var kind: RecordKind { RecordKind(rawValue: number(Offset.kind)) ?? .assertion }
  var decision: Decision { Decision(rawValue: number(Offset.decision)) ?? .unknown }
  var flags: Flags { Flags(rawValue: number(Offset.flags)) }
  /// The index of the configured app, or `noApp`.
  var app: UInt16 { number(Offset.app) }
  var codes: CodeSet { CodeSet(bits: number(Offset.codes)) }
  /// 16 bytes, equal for the same assertion or attestation of one key.
  var identity: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: row[Offset.identity..<(Offset.identity + 16)])
  }

  /// A number that is equal for records that agree in every mapped field.
  var recordDigest: UInt64 { number(Offset.recordDigest) }

  /// The length of the client data, or nil if the record has none.
  var clientDataLength: UInt32? {
    let length: UInt32 = number(Offset.clientDataLength)
    return length == Self.noClientData ? nil : length
  }

  /// r ‖ s ‖ digest, where the flags say that they are there.
  var signed: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(
      rebasing: row[Offset.signed..<(Offset.signed + Self.signedLength)])
  }

  /// The fields behind those of fixed length.
  @safe struct Rest {
    /// The counter that the server had stored before the request.
    var serverCounter: UInt32?
    /// 0 to 255 bytes.
    var clientDataHash: UnsafeRawBufferPointer
    /// The App ID as the record has it, absent also if `app` stands for it.
    var appID: RowText
    var texts: RowTexts
    /// The rest of the row: the registry's facts, the device, or what was found about the counter.
    var tail: RowCursor

    var subject: RowText { texts[.subject] }
    var requestID: RowText { texts[.requestID] }
  }

  var rest: Rest {
    var (cursor, serverCounter) = numbers
    let hash = unsafe cursor.bytes(hashLength)
    let appID = cursor.text()
    let texts = cursor.texts()
    return unsafe Rest(
      serverCounter: serverCounter, clientDataHash: hash, appID: appID, texts: texts, tail: cursor)
  }

  /// The clientDataHash alone, in less time than with all the ``rest``.
  var clientDataHash: UnsafeRawBufferPointer {
    var (cursor, _) = numbers
    return unsafe cursor.bytes(hashLength)
  }

  private var hashLength: Int { Int(number(Offset.hashLength) as UInt8) }

  /// The cursor in front of the clientDataHash, and the number before it.
  private var numbers: (cursor: RowCursor, serverCounter: UInt32?) {
    var cursor = unsafe RowCursor(row)
    cursor.skip(Offset.signed + (flags.contains(.signed) ? Self.signedLength : 0))
    let serverCounter = flags.contains(.serverCounter) ? cursor.number(UInt32.self) : nil
    return (cursor, serverCounter)
  }

  /// Returns what an attestation says of its key; registry rows of valid attestations only.
  func facts(_ texts: TextStore) throws(AuditError) -> AttestedFacts {
    var (cursor, facts) = (rest.tail, AttestedFacts())
    var decoder = unsafe RowDecoder(cursor.remainder(), texts)
    try facts.fields(&decoder)
    return facts
  }

  /// Returns the device identifier; rows of the section `device` only.
  func device(_ texts: TextStore) throws(AuditError) -> String {
    var cursor = rest.tail
    return try cursor.text().string(texts)
  }

  // MARK: Writing

  /// Writes a copy of a row under another key, with more flags, without `claimed` and `remembered`.
  static func write(
    copyOf event: UnsafeRawBufferPointer, keyID: Digest256, section: Section = .event,
    adding flags: Flags = [], _ row: RowBuilder
  ) {
    row.begin()
    row.put(keyID)
    unsafe row.put(copying: UnsafeRawBufferPointer(rebasing: event[Digest256.byteCount...]))
    row.patch(section.rawValue, at: Offset.section)
    let all = unsafe EventRow(event).flags.subtracting([.claimed, .remembered]).union(flags)
    row.patch(all.rawValue, at: Offset.flags)
  }

  /// Writes a copy of an event's row as other policies find it: with another app and other codes.
  static func write(
    copyOf event: UnsafeRawBufferPointer, app: UInt16, codes: CodeSet, _ row: RowBuilder
  ) {
    row.begin()
    unsafe row.put(copying: event)
    row.patch(app, at: Offset.app)
    row.patch(codes.bits, at: Offset.codes)
  }

  static func add(_ flags: Flags, _ row: RowBuilder) {
    row.patch(unsafe EventRow(row.row).flags.union(flags).rawValue, at: Offset.flags)
  }

  /// Writes the row that an event, whose key and former position it has, is the key's no more.
  static func write(departureOf event: EventRow, _ row: RowBuilder) {
    row.begin()
    unsafe row.put(copying: event.fixed)
    row.patch((event.position.lineItem &- 1).bigEndian, at: Offset.position + 4)
    row.patch(Flags.departed.rawValue, at: Offset.flags)
    row.patch(UInt8(0), at: Offset.hashLength)
  }

  /// Writes the row that asks for what earlier runs kept of a key, before all of its events. `isUnsettled` says that
  /// another log of the last run had some (``RunMemory/unsettled``). The run that reads such a log keeps one with its
  /// `source`: not all that it has of the key is kept.
  static func write(
    askingFor keyID: Digest256, isUnsettled: Bool = false, by source: UInt32 = 0, _ row: RowBuilder
  ) {
    Fields(
      keyID: keyID, section: .registry, time: KeptKey.High.beforeAll,
      counter: isUnsettled ? 1 : 0, position: Position(source: source, line: 0), flags: .marks
    ).write(identity: Digest256(), hashLength: 0, row)
  }

  /// Whether the row asks for a key that is unsettled; of rows that ask only.
  var asksForUnsettled: Bool { counter > 0 }

  struct Fields: CodedRow {
    var keyID = Digest256()
    var section = Section.event
    var time: Int64 = 0
    var counter: UInt32 = 0
    var position = Position(source: 0, line: 0)
    var kind = RecordKind.assertion
    var decision = Decision.unknown
    var flags: Flags = []
    var app = noApp
    var codes = CodeSet()
    var identity = Digest128()
    var recordDigest: UInt64 = 0
    var clientDataLength = EventRow.noClientData
    var hashLength: UInt8 = 0

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.digest(&keyID)
      try coder.value(&section)
      try coder.key(time: &time)
      try coder.key(&counter)
      try coder.key(&position)
      try coder.value(&kind)
      try coder.value(&decision)
      try coder.value(&flags)
      try coder.app(&app)
      try coder.codes(&codes)
      try coder.digest(&identity)
      try coder.number(&recordDigest)
      try coder.number(&clientDataLength)
      try coder.number(&hashLength)
    }

    /// Starts a row with these fields, 16 bytes of `identity`, and room for the clientDataHash.
    consuming func write(identity: Digest256, hashLength: Int, _ row: RowBuilder) {
      self.identity = identity.firstHalf
      self.hashLength = UInt8(truncatingIfNeeded: hashLength)
      row.begin()
      row.put(self)
    }
  }

  /// Checks a row from another process. `isJoined` is true if it was looked for whose it is.
  static func check(_ row: inout RowDecoder, isJoined: Bool = true) throws(AuditError) {
    var event = Fields()
    try event.fields(&row)
    let (section, flags) = (event.section, event.flags)
    let remembers = row.bounds?.remembers == true
    // If nothing is remembered, no row is of an earlier run.
    try row.require(remembers || flags.isDisjoint(with: [.remembered, .marks, .waiting]))
    let isRegistered = section == .registry && flags.contains(.valid)
    try row.require(!isRegistered || event.app != noApp)
    if flags.contains(.marks) { return try row.require(event.hashLength == 0) }
    try row.skip(flags.contains(.signed) ? signedLength : 0)
    try row.skip(flags.contains(.serverCounter) ? 4 : 0)
    try row.skip(Int(event.hashLength))
    try row.text()
    try row.rowTexts()
    if isRegistered { try row.check(AttestedFacts.self) }
    if section == .device, isJoined { try row.text() }
    // What later runs are to know has its device with it.
    if section == .event, isJoined, remembers, row.hasMore {
      try row.text()
      try row.skip(Digest256.byteCount)
    }
  }
}

/// The facts of a valid attestation about its key, for the registry and `keys.csv`.
struct AttestedFacts: CodedRow, Equatable {
  /// X9.62 uncompressed point, 65 bytes.
  var publicKey: [UInt8] = []
  var environment: AttestEnvironment?
  var facts = KeyFacts()

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.counted(&publicKey)
    try coder.require(coder.bounds == nil || publicKey.count == 65)
    try coder.value(&environment)
    try facts.fields(&coder)
  }
}
