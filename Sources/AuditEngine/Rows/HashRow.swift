internal import AppAttest

/// An event on its way to the replay audit, or a challenge: a row of the shuffle by
/// clientDataHash. Views are valid as long as the row is.
@safe struct HashRow {
  /// The clientDataHash (its length, then itself or, unless it is 32 bytes, its SHA-256), time,
  /// class, source, line. The time of a challenge is put `reorderTolerance` back, so that it
  /// stands in front of every event that may use it.
  static let keyLength = groupLength + 8 + 1 + 4 + 8
  /// The part of the key that is equal for equal hashes.
  static let groupLength = 1 + 32

  enum Class: UInt8 {
    case challenge, event
  }

  struct Flags: OptionSet {
    let rawValue: UInt8
    /// It takes part in the replay audit.
    static let lookedAt = Flags(rawValue: 1)
    /// Its key is unknown or untrusted.
    static let unverifiable = Flags(rawValue: 2)
    /// A valid attestation.
    static let validAttestation = Flags(rawValue: 4)
    /// A valid attestation of a key that has an earlier one: re-attested, unless an earlier one has
    /// the same clientDataHash.
    static let mayBeReattested = Flags(rawValue: 8)
    /// With `unverifiable`: the key is untrusted, not unknown.
    static let untrusted = Flags(rawValue: 16)
    /// It could not be verified, and stands behind all events of the hash that were.
    static let behind = Flags(rawValue: 32)
  }

  /// A counter finding that stands unless the event turns out to be an exact replay.
  struct Tentative {
    var code: FindingCode
    var expected: UInt32
    var related: Position?
  }

  var keyTime: Int64
  var rowClass: Class
  var position: Position
  // Events only:
  var time: Int64 = 0
  var kind = RecordKind.challenge
  var decision = Decision.unknown
  var flags: Flags = []
  var keyID = Digest256()
  var counter: UInt32 = 0
  var codes = CodeSet()
  var identity: UnsafeRawBufferPointer
  var clientDataHash: UnsafeRawBufferPointer
  var tentative: Tentative?
  /// The key's first valid attestation, where `mayBeReattested`.
  var firstAttestation: Position?
  var appID: RowText
  var requestID: RowText

  init(_ row: UnsafeRawBufferPointer) {
    var cursor = unsafe RowCursor(row)
    cursor.skip(Self.groupLength)
    keyTime = cursor.bigTime()
    rowClass = Class(rawValue: cursor.number()) ?? .event
    position = cursor.position()
    guard rowClass == .event else {
      let nothing = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
      unsafe identity = nothing
      unsafe clientDataHash = nothing
      appID = unsafe RowText(encoded: nothing)
      requestID = appID
      return
    }
    time = keyTime
    kind = RecordKind(rawValue: cursor.number()) ?? .assertion
    decision = Decision(rawValue: cursor.number()) ?? .unknown
    flags = Flags(rawValue: cursor.number())
    keyID = cursor.digest()
    counter = cursor.number()
    codes = CodeSet(bits: cursor.number())
    unsafe identity = cursor.bytes(16)
    let hashLength = Int(cursor.number(UInt8.self))
    unsafe clientDataHash = cursor.bytes(hashLength)
    let tentativeCode = FindingCode(rawValue: cursor.number())
    let expected = cursor.number(UInt32.self)
    let related = cursor.optionalPosition()
    if let tentativeCode {
      tentative = Tentative(code: tentativeCode, expected: expected, related: related)
    }
    firstAttestation = cursor.optionalPosition()
    appID = cursor.text()
    requestID = cursor.text()
  }

  /// Writes the part of the key that groups events of one hash.
  private static func write(group hash: Span<UInt8>, _ row: RowBuilder) {
    row.put(UInt8(truncatingIfNeeded: hash.count))
    if hash.count == Digest256.byteCount {
      row.put(hash)
    } else {
      row.put(Digest256.sha256(hash))
    }
  }

  /// Writes a challenge that was handed out at `time`.
  static func write(
    challenge hash: Span<UInt8>, time: Int64, tolerance: Int64, position: Position,
    _ row: RowBuilder
  ) {
    row.begin()
    write(group: hash, row)
    row.bigTime(time - tolerance)
    row.put(Class.challenge.rawValue)
    row.big(position)
  }

  /// Writes an event as the key audit leaves it; `appName` is the App ID that its rpIdHash names.
  static func write(
    _ event: EventRow, flags: Flags, codes: CodeSet, tentative: Tentative?,
    firstAttestation: Position?, appName: [UInt8], _ row: RowBuilder
  ) throws(AuditError) {
    row.begin()
    unsafe write(group: Span(_unsafeBytes: event.clientDataHash), row)
    row.bigTime(event.time)
    row.put(Class.event.rawValue)
    row.big(event.position)
    row.put(event.kind.rawValue)
    row.put(event.decision.rawValue)
    row.put(flags.rawValue)
    row.put(event.keyID)
    row.put(event.counter)
    row.put(codes.bits)
    unsafe row.put(copying: event.identity)
    unsafe row.put(UInt8(event.clientDataHash.count))
    unsafe row.put(copying: event.clientDataHash)
    row.put(tentative?.code.rawValue ?? UInt8.max)
    row.put(tentative?.expected ?? 0)
    row.put(tentative?.related)
    row.put(firstAttestation)
    if event.appID.isAbsent {
      try row.put(text: appName.span)
    } else {
      row.put(event.appID)
    }
    row.put(event.requestID)
  }
}
