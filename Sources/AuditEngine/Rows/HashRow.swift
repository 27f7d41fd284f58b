internal import AppAttest
internal import AuditLog

/// An event on its way to the replay audit, or a challenge: a row of the shuffle by
/// clientDataHash. A view: fields are read from the row when they are asked for, and are valid as
/// long as it is.
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
    /// A valid attestation.
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
  }

  /// A counter finding that stands unless the event turns out to be an exact replay.
  struct Tentative {
    var code: FindingCode
    var expected: UInt32
    var related: EventPlace?
  }

  /// A stored counter that is not the one the audit expects; stands unless the event turns out to
  /// be an exact replay.
  struct ServerMismatch: Equatable {
    var expected: UInt32
    var stored: UInt32
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

  /// The fields that few rows have and that are present.
  private struct Extras: OptionSet {
    let rawValue: UInt8
    static let tentative = Extras(rawValue: 1)
    static let related = Extras(rawValue: 2)
    static let firstAttestation = Extras(rawValue: 4)
    static let serverMismatch = Extras(rawValue: 8)
    static let was = Extras(rawValue: 16)
    static let ios = Extras(rawValue: 32)
    static let macos = Extras(rawValue: 64)
  }

  /// The opinion on a kept event by what was known before this run.
  struct Was: Equatable {
    /// The codes found for the record.
    var codes: CodeSet
    /// The counter findings that stood unless it was an exact replay.
    var tentative: CodeSet
    var flags: Flags
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
  /// The length of the clientDataHash.
  var hashLength: UInt8 { number(Offset.hashLength) }
  /// True for a challenge that was inferred: nothing says that it is one.
  var isInferred: Bool { number(Self.keyLength) as UInt8 == 1 }
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
  /// The platform of the event's key, if it is known.
  var platform: KeyPlatform? {
    extras.contains(.ios) ? .ios : extras.contains(.macos) ? .macos : nil
  }
  /// The identity of the event's key.
  var owner: KeyOwner { KeyOwner(digest: keyID, isDevice: flags.contains(.ofDevice)) }
  var codes: CodeSet { CodeSet(bits: number(Offset.codes)) }
  var identity: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: row[Offset.identity..<(Offset.identity + 16)])
  }
  /// A number that is equal for records that agree in every mapped field.
  var recordDigest: UInt64 { number(Offset.recordDigest) }
  private var extras: Extras { Extras(rawValue: number(Offset.extras)) }
  /// Whether the row has a ``Tentative``.
  var hasTentative: Bool { extras.contains(.tentative) }
  /// Whether the row has a ``ServerMismatch``.
  var hasServerMismatch: Bool { extras.contains(.serverMismatch) }

  /// The fields behind those of fixed length.
  @safe struct Rest {
    var tentative: Tentative?
    var serverMismatch: ServerMismatch?
    /// The opinion of an earlier run, or nil for an event that was not its key's before.
    var was: Was?
    /// The key's first valid attestation, where `mayBeReattested`.
    var firstAttestation: Position?
    /// The time of that attestation, if it is known.
    var firstAttestedAt: Int64?
    /// The clientDataHash. In a row of the class `remembered` it is empty unless it is 32 bytes.
    var clientDataHash: UnsafeRawBufferPointer
    /// The App ID as the record has it. It is absent if the record has none, and if `app` stands
    /// for it.
    var appID: RowText
    var texts: RowTexts
    var requestID: RowText { texts[.requestID] }
    var subject: RowText { texts[.subject] }

    /// Returns the identity of a text: the first 8 bytes of its SHA-256, or nil if there is none.
    func digest(_ text: RequestText) -> UInt64? {
      let text = texts[text]
      return text.isAbsent ? nil : text.digest.0.prefix
    }
  }

  var rest: Rest {
    var cursor = unsafe RowCursor(row)
    cursor.skip(Offset.rest)
    var tentative: Tentative?
    if extras.contains(.tentative) {
      tentative = Tentative(
        code: FindingCode(rawValue: cursor.number()) ?? .counterRegression,
        expected: cursor.number(),
        related: extras.contains(.related)
          ? EventPlace(position: cursor.position(), time: cursor.optional(Int64.self)) : nil)
    }
    var serverMismatch: ServerMismatch?
    if extras.contains(.serverMismatch) {
      serverMismatch = ServerMismatch(expected: cursor.number(), stored: cursor.number())
    }
    let first = extras.contains(.firstAttestation) ? cursor.position() : nil
    let firstAttestedAt = first == nil ? nil : cursor.optional(Int64.self)
    var was: Was?
    if extras.contains(.was) {
      was = Was(
        codes: CodeSet(bits: cursor.number()), tentative: CodeSet(bits: cursor.number()),
        flags: Flags(rawValue: cursor.number()))
    }
    let length = Int(hashLength)
    let hash =
      unsafe length == Digest256.byteCount
      ? UnsafeRawBufferPointer(rebasing: row[..<Digest256.byteCount])
      : cursor.bytes(rowClass == .remembered ? 0 : length)
    let appID = cursor.text()
    return unsafe Rest(
      tentative: tentative, serverMismatch: serverMismatch, was: was, firstAttestation: first,
      firstAttestedAt: firstAttestedAt,
      clientDataHash: hash, appID: appID, texts: cursor.texts())
  }

  /// Walks along which extras an event has, and these.
  static func walk(extras walk: inout RowWalk) {
    let extras = Extras(rawValue: walk.number())
    // Where nothing is remembered, no row is of an earlier run.
    let known: Extras = [
      .tentative, .related, .serverMismatch, .firstAttestation, .was, .ios, .macos,
    ]
    walk.require(extras.isSubset(of: walk.bounds.remembers ? known : known.subtracting(.was)))
    if extras.contains(.tentative) {
      walk.value(of: FindingCode.self)
      walk.skip(4)
      if extras.contains(.related) {
        walk.bigPosition()
        walk.optionalTime()
      }
    }
    if extras.contains(.serverMismatch) { walk.skip(8) }
    if extras.contains(.firstAttestation) {
      walk.bigPosition()
      walk.optionalTime()
    }
    guard extras.contains(.was) else { return }
    walk.codes()
    walk.codes()
    walk.skip(1)
  }

  /// Writes the part of the key that groups events of one hash.
  private static func write(group hash: Span<UInt8>, _ row: RowBuilder) {
    if hash.count == Digest256.byteCount {
      row.put(hash)
    } else {
      row.put(Digest256.sha256(hash))
    }
    row.put(UInt8(truncatingIfNeeded: hash.count))
  }

  /// Writes a challenge that was issued at `time`. `isInferred` is true if nothing says that it
  /// is one.
  static func write(
    challenge hash: Span<UInt8>, isInferred: Bool = false, time: Int64, tolerance: Int64,
    position: Position, _ row: RowBuilder
  ) {
    row.begin()
    write(group: hash, row)
    row.bigTime(time - tolerance)
    row.put(Class.challenge.rawValue)
    row.big(position)
    row.put(isInferred ? UInt8(1) : 0)
  }

  /// Writes an event as the key audit leaves it. `rest` is the event's, and `was` is the opinion
  /// before this run.
  static func write(
    _ event: EventRow, _ rest: EventRow.Rest, _ opinion: KeyOpinion, was: KeyOpinion? = nil,
    _ row: RowBuilder
  ) {
    let isKept = !event.flags.isDisjoint(with: [.remembered, .waiting])
    let flags = isKept ? opinion.flags.union(.kept) : opinion.flags
    row.begin()
    unsafe write(group: Span(_unsafeBytes: rest.clientDataHash), row)
    let base = unsafe row.extend(by: Offset.rest - groupLength) - groupLength
    func put<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number, _ offset: Int) {
      unsafe base.storeBytes(of: number, toByteOffset: offset, as: Number.self)
    }
    let position = event.position
    put((UInt64(bitPattern: event.time) ^ 1 << 63).bigEndian, Offset.time)
    put(Class.event.rawValue, Offset.rowClass)
    put(position.source.bigEndian, Offset.position)
    put(position.lineItem.bigEndian, Offset.position + 4)
    put(event.kind.rawValue, Offset.kind)
    put(event.decision.rawValue, Offset.decision)
    put(flags.rawValue, Offset.flags)
    put(event.app, Offset.app)
    put(event.counter, Offset.counter)
    unsafe event.keyID.copy(to: base + Offset.keyID)
    put(opinion.codes.bits, Offset.codes)
    unsafe (base + Offset.identity).copyMemory(
      from: event.identity.baseAddress.unsafelyUnwrapped, byteCount: 16)
    put(event.recordDigest, Offset.recordDigest)
    var extras: Extras =
      switch opinion.platform {
      case .ios: .ios
      case .macos: .macos
      case nil: []
      }
    if let tentative = opinion.tentative {
      extras.insert(.tentative)
      row.put(tentative.code.rawValue)
      row.put(tentative.expected)
      if let related = tentative.related {
        extras.insert(.related)
        row.big(related.position)
        row.put(optional: related.time)
      }
    }
    if let serverMismatch = opinion.serverMismatch {
      extras.insert(.serverMismatch)
      row.put(serverMismatch.expected)
      row.put(serverMismatch.stored)
    }
    if let firstAttestation = opinion.firstAttestation {
      extras.insert(.firstAttestation)
      row.big(firstAttestation)
      row.put(optional: opinion.firstAttestedAt)
    }
    if let was {
      extras.insert(.was)
      row.put(was.codes.bits)
      row.put(was.tentativeCodes.bits)
      row.put(was.flags.rawValue)
    }
    put(extras.rawValue, Offset.extras)
    if unsafe rest.clientDataHash.count != Digest256.byteCount {
      unsafe row.put(copying: rest.clientDataHash)
    }
    row.put(rest.appID)
    row.put(rest.texts)
  }
}
