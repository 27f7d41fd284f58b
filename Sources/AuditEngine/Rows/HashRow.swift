internal import AppAttest
internal import AuditLog

/// An event on its way to the replay audit, or a challenge: a row of the shuffle by
/// clientDataHash. A view: its fields are valid as long as the row is.
///
/// Layout of an event: the key; kind, decision and flags of 1 byte each; app, 2; counter, 4; key
/// identifier, 32; codes, 8; identity, 16; digest of the record, 8; which extras there are, 1, and
/// these; the clientDataHash unless it is in the key; the App ID as ``RowText``; the request's
/// texts as ``RowTexts``.
@safe struct HashRow {
  /// The clientDataHash (itself or, unless it is 32 bytes, its SHA-256, and then its length),
  /// time, class, source, line and item. The time of a challenge is put `reorderTolerance` back, so
  /// that it comes before every event that may use it.
  static let keyLength = groupLength + 8 + 1 + 4 + 8
  /// The part of the key that is equal for equal hashes.
  static let groupLength = KeptRecord.groupLength

  enum Class: UInt8 {
    case challenge, event
    /// An event of an earlier run. It is never shuffled, and its hash stands in its key only.
    case remembered
  }

  struct Flags: OptionSet {
    let rawValue: UInt8
    /// A record that takes part in the replay audit.
    static let lookedAt = Flags(rawValue: 1)
    /// A record whose key is unknown or untrusted.
    static let unverifiable = Flags(rawValue: 2)
    static let validAttestation = Flags(rawValue: 4)
    /// A valid attestation of a key that has an earlier one: re-attested, unless an earlier one has
    /// the same clientDataHash.
    static let mayBeReattested = Flags(rawValue: 8)
    /// A key that is untrusted, not unknown. It comes with `unverifiable`.
    static let untrusted = Flags(rawValue: 16)
    /// A record that could not be verified, and that comes after all events of the hash that were.
    static let behind = Flags(rawValue: 32)
    /// A record whose key nobody knows. It comes with `unverifiable`. The SHA-256 of the device
    /// identifier stands in place of the key identifier.
    static let ofDevice = Flags(rawValue: 64)
    /// An event of an earlier run of which its key's judges say something else than before, or
    /// something that is settled here: it has its old position, and is counted in no verdict.
    static let kept = Flags(rawValue: 128)

    /// The code for an unknown or an untrusted key, or nil if the key is neither.
    var unverifiableCode: FindingCode? {
      guard contains(.unverifiable) else { return nil }
      return contains(.untrusted) ? .keyUntrusted : .keyUnknown
    }
  }

  /// A counter finding that stands unless the event turns out to be an exact replay.
  struct Tentative: CodedRow {
    var code = FindingCode.counterRegression
    var expected: UInt32 = 0
    var related: EventPlace?

    /// Codes all but the related event.
    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.value(&code)
      try coder.number(&expected)
    }
  }

  /// A stored counter that is not the expected one; stands unless the event is an exact replay.
  struct ServerMismatch: CodedRow, Equatable {
    var expected: UInt32 = 0
    var stored: UInt32 = 0

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.number(&expected)
      try coder.number(&stored)
    }
  }

  /// The place of each field. The fields behind `line` are of events only.
  private enum Offset {
    static let hashLength = 32
    static let time = 33
    static let rowClass = 41
    static let position = 42
    static let kind = 54
    static let decision = 55
    static let flags = 56
    static let app = 57
    static let counter = 59
    static let keyID = 63
    static let codes = 95
    static let identity = 103
    static let recordDigest = 119
    static let extras = 127
    static let rest = 128
  }

  /// The opinion on a kept event by what was known before this run.
  struct Was: CodedRow, Equatable {
    var codes = CodeSet()
    /// The counter findings that stood unless it was an exact replay.
    var tentative = CodeSet()
    var flags: Flags = []
    /// Whether another log of the earlier run had events of the key: what that run found is not known, except that it
    /// stands or does not. The codes are those that this run does not report.
    var isUnsettled = false

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.codes(&codes)
      try coder.codes(&tentative)
      try coder.value(&flags)
      try coder.flag(&isUnsettled)
    }
  }

  /// The fields that few rows have, after 1 byte that says which are there.
  struct Extras: CodedRow {
    var tentative: Tentative?
    var serverMismatch: ServerMismatch?
    /// The key's first valid attestation, if the flags contain `mayBeReattested`; or the first assertion that the run's
    /// finding about an unknown or untrusted key counts, if that counts this one and earlier runs may know its copies.
    var keyEvent: EventPlace?
    /// The opinion of an earlier run, or nil for an event that was not its key's before.
    var was: Was?
    var platform: KeyPlatform?
    /// Whether another log of this run has events of its key: that withdraws nothing (`pipeline.R15`).
    var isDisputed = false

    struct Present: OptionSet {
      let rawValue: UInt8
      static let tentative = Present(rawValue: 1)
      static let related = Present(rawValue: 2)
      static let keyEvent = Present(rawValue: 4)
      static let serverMismatch = Present(rawValue: 8)
      static let was = Present(rawValue: 16)
      static let ios = Present(rawValue: 32)
      static let macos = Present(rawValue: 64)
      static let disputed = Present(rawValue: 128)

      var platform: KeyPlatform? { contains(.ios) ? .ios : contains(.macos) ? .macos : nil }
      var hasNoFields: Bool { subtracting([.ios, .macos, .disputed]).isEmpty }
    }

    private var present: Present {
      var present: Present = []
      if tentative != nil { present.insert(.tentative) }
      if tentative?.related != nil { present.insert(.related) }
      if keyEvent != nil { present.insert(.keyEvent) }
      if serverMismatch != nil { present.insert(.serverMismatch) }
      if was != nil { present.insert(.was) }
      if let platform { present.insert(platform == .ios ? .ios : .macos) }
      if isDisputed { present.insert(.disputed) }
      return present
    }

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      var present = present
      try coder.value(&present)
      if present.isEmpty { return }
      (platform, isDisputed) = (present.platform, present.contains(.disputed))
      // If nothing is remembered, no row is of an earlier run.
      try coder.require(!present.contains(.was) || coder.bounds?.remembers ?? true)
      try coder.some(&tentative, if: present.contains(.tentative))
      if var value = tentative {
        try coder.some(&value.related, if: present.contains(.related))
        tentative = value
      }
      try coder.some(&serverMismatch, if: present.contains(.serverMismatch))
      try coder.some(&keyEvent, if: present.contains(.keyEvent))
      try coder.some(&was, if: present.contains(.was))
    }
  }

  private let row: UnsafeRawBufferPointer

  init(_ row: UnsafeRawBufferPointer) {
    unsafe self.row = row
    let isChallenge = unsafe row[Offset.rowClass] == Class.challenge.rawValue
    let least = isChallenge ? Self.keyLength + 1 : Offset.rest
    precondition(row.count >= least, "a row ends before its fields do")
  }

  private func number<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number {
    unsafe row.baseAddress.unsafelyUnwrapped.loadUnaligned(fromByteOffset: offset, as: Number.self)
  }

  var keyTime: Int64 { Int64(bitPattern: UInt64(bigEndian: number(Offset.time)) ^ 1 << 63) }
  var rowClass: Class { Class(rawValue: number(Offset.rowClass)) ?? .event }
  var position: Position {
    Position(
      source: UInt32(bigEndian: number(Offset.position)),
      lineItem: UInt64(bigEndian: number(Offset.position + 4)))
  }
  /// The clientDataHash or, unless it is 32 bytes, its SHA-256.
  var groupHash: Digest256 { unsafe Digest256(copying: row.baseAddress.unsafelyUnwrapped) }
  var hashLength: UInt8 { number(Offset.hashLength) }
  /// True for a challenge that was inferred: nothing says that it is one.
  var isInferred: Bool { number(Self.keyLength) as UInt8 == 1 }
  /// Whether the row is no challenge, but asks for what earlier runs saw of its hash.
  var asksForHash: Bool {
    rowClass == .challenge && number(Self.keyLength) as UInt8 == Self.asking
  }
  private static let asking: UInt8 = 2
  // Events only:
  var time: Int64 { keyTime }
  var kind: RecordKind { RecordKind(rawValue: number(Offset.kind)) ?? .assertion }
  var decision: Decision { Decision(rawValue: number(Offset.decision)) ?? .unknown }
  var flags: Flags { Flags(rawValue: number(Offset.flags)) }
  /// The index of the configured app, or `EventRow.noApp`.
  var app: UInt16 { number(Offset.app) }
  var counter: UInt32 { number(Offset.counter) }
  var keyID: Digest256 {
    unsafe Digest256(copying: row.baseAddress.unsafelyUnwrapped + Offset.keyID)
  }
  /// The key identifier, or nil if a device stands in its place.
  var knownKeyID: Digest256? { flags.contains(.ofDevice) ? nil : keyID }
  /// Whether the event's authenticator data is signed: an assertion with a valid signature, or a
  /// valid attestation whose nonce was checked.
  var isSigned: Bool {
    flags.isDisjoint(with: [.behind, .unverifiable])
      && flags.contains(kind == .attestation ? .validAttestation : .lookedAt)
  }
  /// Whether the event is verified (`verification.R22`), as far as its key's judge found.
  var isVerified: Bool { isSigned && (kind == .attestation || !codes.intersects(.checks)) }
  var platform: KeyPlatform? { present.platform }
  var owner: KeyOwner { KeyOwner(digest: keyID, isDevice: flags.contains(.ofDevice)) }
  var codes: CodeSet { CodeSet(bits: number(Offset.codes)) }
  var identity: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: row[Offset.identity..<(Offset.identity + 16)])
  }
  /// A number that is equal for records that agree in every mapped field.
  var recordDigest: UInt64 { number(Offset.recordDigest) }
  private var present: Extras.Present { Extras.Present(rawValue: number(Offset.extras)) }
  var hasTentative: Bool { present.contains(.tentative) }
  var hasServerMismatch: Bool { present.contains(.serverMismatch) }
  var isDisputed: Bool { present.contains(.disputed) }
  var isUnsettled: Bool { present.contains(.was) && rest.was?.isUnsettled == true }

  /// The fields behind those of fixed length.
  @safe @dynamicMemberLookup struct Rest {
    let extras: Extras
    /// The clientDataHash. In a row of the class `remembered` it is empty unless it is 32 bytes.
    var clientDataHash: UnsafeRawBufferPointer
    /// The App ID as the record has it, absent also if `app` stands for it.
    var appID: RowText
    var texts: RowTexts
    var requestID: RowText { texts[.requestID] }
    var subject: RowText { texts[.subject] }

    subscript<Value>(dynamicMember extra: KeyPath<Extras, Value>) -> Value {
      extras[keyPath: extra]
    }
  }

  var rest: Rest {
    var cursor = unsafe RowCursor(row)
    var extras = Extras()
    cursor.skip(Offset.extras)
    withoutFailure { () throws(AuditError) in try extras.fields(&cursor) }
    let length = Int(hashLength)
    let hash =
      unsafe length == Digest256.byteCount
      ? UnsafeRawBufferPointer(rebasing: row[..<Digest256.byteCount])
      : cursor.bytes(rowClass == .remembered ? 0 : length)
    let appID = cursor.text()
    return unsafe Rest(
      extras: extras, clientDataHash: hash, appID: appID, texts: cursor.texts())
  }

  /// The request's texts alone, in less time than with all the ``rest`` where there are no extras with fields.
  var texts: RowTexts {
    guard present.hasNoFields, hashLength == Digest256.byteCount else { return rest.texts }
    var cursor = unsafe RowCursor(row)
    cursor.skip(Offset.rest)
    _ = cursor.text()
    return unsafe RowTexts(encoded: cursor.remainder())
  }

  // MARK: Fields

  struct Key: CodedRow {
    var hash = Digest256()
    var hashLength: UInt8 = 0
    var time: Int64 = 0
    var rowClass = Class.event
    var position = Position(source: 0, line: 0)

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.digest(&hash)
      try coder.number(&hashLength)
      try coder.key(time: &time)
      try coder.value(&rowClass)
      try coder.key(&position)
    }
  }

  /// The fields of an event between its key and its texts.
  struct Fields: CodedRow {
    var kind = RecordKind.assertion
    var decision = Decision.unknown
    var flags: Flags = []
    var app = EventRow.noApp
    var counter: UInt32 = 0
    var keyID = Digest256()
    var codes = CodeSet()
    var identity = Digest128()
    var recordDigest: UInt64 = 0
    var extras = Extras()

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.value(&kind)
      try coder.value(&decision)
      try coder.value(&flags)
      try coder.app(&app)
      try coder.number(&counter)
      try coder.digest(&keyID)
      try coder.codes(&codes)
      try coder.digest(&identity)
      try coder.number(&recordDigest)
      try extras.fields(&coder)
    }
  }

  /// Checks a row from another process.
  static func check(_ row: inout RowDecoder) throws(AuditError) {
    var (key, event) = (Key(), Fields())
    try key.fields(&row)
    if key.rowClass == .challenge {
      var form: UInt8 = 0
      try row.number(&form)
      return try row.require(form <= 1 || form == Self.asking && row.bounds?.remembers == true)
    }
    try row.require(key.rowClass == .event)
    try event.fields(&row)
    try row.require(row.bounds?.remembers == true || !event.flags.contains(.kept))
    if key.hashLength != Digest256.byteCount { try row.skip(Int(key.hashLength)) }
    try row.text()
    try row.rowTexts()
  }

  // MARK: Writing

  /// Writes a challenge that was issued at `time`, or that is inferred: nothing says that it is one.
  static func write(
    challenge hash: Span<UInt8>, isInferred: Bool = false, time: Int64, tolerance: Int64,
    position: Position, _ row: RowBuilder
  ) {
    row.begin()
    row.put(Key(hash, time: time - tolerance, .challenge, position))
    row.put(isInferred ? UInt8(1) : 0)
  }

  /// Writes a row, before all others of its hash, that asks for what earlier runs saw of the hash.
  static func write(askingFor hash: Digest256, length: UInt8, _ row: RowBuilder) {
    row.begin()
    row.put(
      Key(
        hash: hash, hashLength: length, time: .min, rowClass: .challenge,
        position: Position(source: 0, line: 0)))
    row.put(asking)
  }

  /// Writes an event as the key audit leaves it. `was` is the opinion before this run.
  static func write(
    _ event: EventRow, _ rest: EventRow.Rest, _ opinion: KeyOpinion, was: Was? = nil,
    isDisputed: Bool = false, _ row: RowBuilder
  ) {
    let isKept = !event.flags.isDisjoint(with: [.remembered, .waiting])
    row.begin()
    unsafe row.put(
      Key(Span(_unsafeBytes: rest.clientDataHash), time: event.time, .event, event.position))
    unsafe row.put(
      Fields(
        kind: event.kind, decision: event.decision,
        flags: isKept ? opinion.flags.union(.kept) : opinion.flags, app: event.app,
        counter: event.counter, keyID: event.keyID, codes: opinion.codes,
        identity: Digest128(event.identity), recordDigest: event.recordDigest,
        extras: Extras(
          tentative: opinion.tentative, serverMismatch: opinion.serverMismatch,
          keyEvent: opinion.keyEvent, was: was, platform: opinion.platform,
          isDisputed: isDisputed)))
    if unsafe rest.clientDataHash.count != Digest256.byteCount {
      unsafe row.put(copying: rest.clientDataHash)
    }
    row.put(rest.appID)
    row.put(rest.texts)
  }
}

extension HashRow.Was {
  init(_ opinion: KeyOpinion) {
    self.init(codes: opinion.codes, tentative: opinion.tentativeCodes, flags: opinion.flags)
  }
}

extension HashRow.Key {
  init(_ hash: Span<UInt8>, time: Int64, _ rowClass: HashRow.Class, _ position: Position) {
    self.init(
      hash: Digest256(hash) ?? Digest256.sha256(hash),
      hashLength: UInt8(truncatingIfNeeded: hash.count), time: time, rowClass: rowClass,
      position: position)
  }
}
