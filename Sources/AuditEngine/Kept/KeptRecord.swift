package import AppAttest
package import AuditLog

/// A record of the replay window, with everything that a later one of its hash is compared with.
/// Layout, numbers big-endian: the clientDataHash or, unless it is 32 bytes, its SHA-256, 32; its
/// length, 1; kind, decision and flags of 1 byte each; time, 8; source, 4; line and item, 8; the
/// key or device, 32; identity, 16; digests of the request identifier and the subject, 8 each; the
/// identifier's length, 4; counter, 4; digests of the record and of the route, 8 each. What a
/// record does not have is zero.
package struct KeptRecord: CodedRow, Sendable, Equatable {
  package static let byteCount = 144
  /// Bytes at its front that are equal for equal hashes: 32 of the hash, 1 of its length.
  package static let groupLength = 33
  /// Times are less than this before and after 1970, in milliseconds: no difference overflows.
  package static let timeLimit: Int64 = 1 << 60

  /// Facts of a kept record besides its fields.
  package struct Flags: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A record that could not be verified, and that comes after all events of the hash that were.
    package static let behind = Flags(rawValue: 1)
    /// A challenge that was inferred: nothing said that it is one.
    package static let inferred = Flags(rawValue: 1)
    package static let validAttestation = Flags(rawValue: 2)
    /// The SHA-256 of the device identifier stands in place of the key identifier.
    package static let ofDevice = Flags(rawValue: 4)
    /// A record that takes no part in the replay audit any more.
    package static let void = Flags(rawValue: 8)
    fileprivate static let request = Flags(rawValue: 16)
    /// A record that the server rejected, with nothing against it but its counters.
    package static let blameless = Flags(rawValue: 32)
    fileprivate static let subject = Flags(rawValue: 64)
    /// A record whose counters spoke against it, unless it is an exact replay.
    package static let disputed = Flags(rawValue: 128)
  }

  /// The clientDataHash or, unless it is 32 bytes, its SHA-256.
  package var hash: Digest256
  package var hashLength: UInt8 = 32
  package var kind = RecordKind.assertion
  package var decision = Decision.unknown
  package var flags: Flags = []
  /// Milliseconds since 1970, UTC.
  package var time: Int64 = 0
  package var position = Position(source: 0, lineItem: 0)
  /// The key identifier or the SHA-256 of the device identifier; zero for a challenge.
  package var owner = Digest256()
  /// A number that is equal for the same token of one key, or zero for a challenge.
  package var identity = Digest128()
  /// The identity of the request identifier, or nil if the record has none.
  package var request: RequestIdentity?
  /// The first 8 bytes of the subject's SHA-256, or nil if the record has no subject.
  package var subject: UInt64?
  /// The first 8 bytes of the route's SHA-256, or nil if the record has no route.
  package var route: UInt64?
  /// The sign counter of an assertion; 0 of others.
  package var counter: UInt32 = 0
  /// A number that is equal for records that agree in every mapped field; 0 of challenges.
  package var digest: UInt64 = 0

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var written = flags
    if request != nil { written.insert(.request) }
    if subject != nil { written.insert(.subject) }
    var identifier = request ?? RequestIdentity(digest: 0, length: 0)
    var (account, path) = (subject ?? 0, route ?? 0)
    try coder.digest(&hash)
    try coder.number(&hashLength)
    try coder.value(&kind)
    try coder.value(&decision)
    try coder.value(&written)
    try coder.key(&time)
    try coder.require(time > -Self.timeLimit && time < Self.timeLimit)
    try coder.key(&position)
    try coder.digest(&owner)
    try coder.digest(&identity)
    try coder.key(&identifier.digest)
    try coder.key(&account)
    try coder.key(&identifier.length)
    try coder.key(&counter)
    try coder.key(&digest)
    try coder.key(&path)
    let isEmpty = identifier == RequestIdentity(digest: 0, length: 0)
    try coder.require(written.contains(.request) || isEmpty)
    flags = written.subtracting([.request, .subject])
    request = written.contains(.request) ? identifier : nil
    subject = written.contains(.subject) ? account : nil
    route = path == 0 ? nil : path
  }

  /// Returns the time in a record's bytes: at least ``byteCount`` of them.
  package static func time(of bytes: UnsafeRawBufferPointer) -> Int64 {
    guard bytes.count >= byteCount else { return 0 }
    return unsafe Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: 36, as: Int64.self))
  }
}

extension KeptRecord {
  package init() { self.init(hash: Digest256()) }

  /// Reads a record, or throws `.inconsistent`.
  package init(_ bytes: UnsafeRawBufferPointer) throws(AuditError) {
    self.init()
    var decoder = unsafe RowDecoder(bytes)
    try decoder.require(bytes.count == Self.byteCount)
    try fields(&decoder)
  }
}
