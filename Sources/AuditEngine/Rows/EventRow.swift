internal import AppAttest

/// What is known of a record when it leaves the decoder: a row of the shuffle by key identifier.
///
/// An attestation goes in twice: once in front of all of its key's events, for the registry, and
/// once as an event in its place. Views are valid as long as the row is.
@safe struct EventRow {
  /// Key identifier, section, time, counter, source, line.
  static let keyLength = 32 + 1 + 8 + 4 + 4 + 8
  static let noApp = UInt16.max

  /// Which of a key's rows come first.
  enum Section: UInt8 {
    case registry, event
  }

  /// What is remembered of a record besides its fields.
  struct Flags: OptionSet {
    let rawValue: UInt8
    /// The token is malformed: nothing but counts is taken from the record.
    static let malformed = Flags(rawValue: 1)
    /// The attestation is valid in the sense of `verification.md`.
    static let valid = Flags(rawValue: 2)
    /// The signature's bytes are those of no P-256 signature.
    static let badSignatureEncoding = Flags(rawValue: 4)
  }

  var keyID: Digest256
  var section: Section
  var time: Int64
  var counter: UInt32
  var position: Position
  var kind: RecordKind
  var decision: Decision
  var flags: Flags
  /// The index of the configured app, or `noApp`.
  var app: UInt16
  var codes: CodeSet
  /// 0 to 255 bytes.
  var clientDataHash: UnsafeRawBufferPointer
  /// 16 bytes, equal for the same assertion or attestation of one key.
  var identity: UnsafeRawBufferPointer
  /// As the record has it; absent where it has none.
  var appID: RowText
  var subject: RowText
  var requestID: RowText
  /// What comes behind: a digest and signature, or the registry's facts.
  private var tail: RowCursor

  init(_ row: UnsafeRawBufferPointer) {
    var cursor = unsafe RowCursor(row)
    keyID = cursor.digest()
    section = Section(rawValue: cursor.number()) ?? .event
    time = cursor.bigTime()
    counter = cursor.big()
    position = cursor.position()
    kind = RecordKind(rawValue: cursor.number()) ?? .assertion
    decision = Decision(rawValue: cursor.number()) ?? .unknown
    flags = Flags(rawValue: cursor.number())
    app = cursor.number()
    codes = CodeSet(bits: cursor.number())
    let hashLength = Int(cursor.number(UInt8.self))
    unsafe clientDataHash = cursor.bytes(hashLength)
    unsafe identity = cursor.bytes(16)
    appID = cursor.text()
    subject = cursor.text()
    requestID = cursor.text()
    tail = cursor
  }

  /// The digest that an assertion signs and the DER signature, of an assertion that is not
  /// malformed.
  var signed: (digest: UnsafeRawBufferPointer, signature: UnsafeRawBufferPointer) {
    var cursor = tail
    let digest = unsafe cursor.bytes(Digest256.byteCount)
    let length = Int(cursor.number(UInt8.self))
    return unsafe (digest, cursor.bytes(length))
  }

  /// Whether the event is an assertion whose signature can be checked, given its key.
  var hasSignature: Bool { kind == .assertion && !flags.contains(.malformed) }

  /// What an attestation says of its key; registry rows of valid attestations only.
  func facts(_ texts: TextStore) throws(AuditError) -> AttestedFacts {
    var cursor = tail
    return try AttestedFacts(&cursor, texts)
  }
}

/// What a valid attestation says of its key, for the registry and `keys.csv`.
struct AttestedFacts {
  /// X9.62 uncompressed point, 65 bytes.
  var publicKey: [UInt8]
  var environment: AttestEnvironment?
  var osVersion: String
  var category: ValidationCategory?
  var bundleVersion: String
  var receiptType: String
  var receiptCreated: Int64?
  var riskMetric: String

  func write(_ row: RowBuilder) throws(AuditError) {
    row.put(UInt8(publicKey.count))
    row.put(publicKey.span)
    row.put(environment?.rawValue ?? UInt8.max)
    try row.put(text: osVersion)
    row.put(optional: category?.rawValue)
    try row.put(text: bundleVersion)
    try row.put(text: receiptType)
    row.put(optional: receiptCreated)
    try row.put(text: riskMetric)
  }
}

extension AttestedFacts {
  init(_ cursor: inout RowCursor, _ texts: TextStore) throws(AuditError) {
    let count = Int(cursor.number(UInt8.self))
    publicKey = unsafe Array(cursor.bytes(count))
    environment = AttestEnvironment(rawValue: cursor.number())
    osVersion = try cursor.text().string(texts)
    category = cursor.optional(UInt32.self).map(ValidationCategory.init(rawValue:))
    bundleVersion = try cursor.text().string(texts)
    receiptType = try cursor.text().string(texts)
    receiptCreated = cursor.optional(Int64.self)
    riskMetric = try cursor.text().string(texts)
  }
}
