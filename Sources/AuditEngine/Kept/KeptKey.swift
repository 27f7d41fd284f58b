package import AppAttest

/// The record of a key from run to run: one that was attested, validly or not, or whose
/// assertions were verified under a list of known keys. Times are milliseconds since 1970, UTC.
@dynamicMemberLookup package struct KeptKey: Sendable, Equatable {
  /// A counter that was reached, and when.
  package struct High: Sendable, Equatable {
    /// The time of a counter that a list has, before all records; no difference from it overflows.
    package static let beforeAll: Int64 = -1 << 52
    /// The times that count.
    static let times = beforeAll...(1 << 52)

    package var time: Int64
    package var counter: UInt32
    /// The event that carried it, where that is known.
    package var position: Position?
  }

  package var keyID: Digest256
  /// The first valid attestation of logs, or the place in a list that says that there was one.
  package var firstValid: Position?
  /// The first attestation of any kind, or nil if only a list has the key.
  package var firstAttestation: Position?
  package var firstAttestationAt: Int64?
  /// The X9.62 uncompressed point, 65 bytes, or empty if no assertion could be verified so far.
  package var publicKey: [UInt8] = []
  package var appID = ""
  package var environment: AttestEnvironment?
  /// The time at which the key was attested, by a list or a log.
  package var attestedAt: Int64?
  /// The time of ``firstValid`` in its log, or nil if a list has it.
  package var firstValidAt: Int64?
  package var facts = KeyFacts()
  /// The counters and the subject that later records are compared with.
  package var snapshot = KeySnapshot()
  /// The text of that subject.
  package var subjectText = ""
  /// The first source whose events may still wait for the key to be trusted.
  package var waitingFrom: UInt32 = 0

  package init(keyID: Digest256) {
    self.keyID = keyID
  }

  package subscript<Value>(
    dynamicMember fact: any WritableKeyPath<KeyFacts, Value> & Sendable
  ) -> Value {
    get { facts[keyPath: fact] }
    set { facts[keyPath: fact] = newValue }
  }
}

/// An attestation that says which device has a key.
package struct KeptDevice: Sendable, Equatable {
  /// SHA-256 of the device identifier.
  package var device: Digest256
  package var keyID: Digest256
  package var time: Int64
  package var isValid: Bool
  /// Whether it is valid, but the server rejected it.
  package var isRejected: Bool
  /// The identifier itself, if it is to be remembered.
  package var name: String?

  package init(
    device: Digest256, keyID: Digest256, time: Int64, isValid: Bool, isRejected: Bool = false,
    name: String? = nil
  ) {
    self.device = device
    self.keyID = keyID
    self.time = time
    self.isValid = isValid
    self.isRejected = isValid && isRejected
    self.name = name
  }
}

// The fields of a key's record, for tables and for streams.
extension KeptKey: CodedRow {
  package init() { self.init(keyID: Digest256()) }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.digest(&keyID)
    try coder.counted(&publicKey)
    try coder.require([0, 65].contains(publicKey.count))
    try coder.text(&appID)
    try coder.optional(&environment)
    try coder.optional(&attestedAt)
    try coder.optional(&firstValid)
    try coder.optional(&firstValidAt)
    try coder.optional(&firstAttestation)
    try coder.optional(&firstAttestationAt)
    try facts.fields(&coder)
    try coder.optional(&snapshot.subject)
    try coder.text(&subjectText)
    try coder.number(&waitingFrom)
    try coder.packed(&snapshot.counters)
  }
}

extension KeptDevice: CodedRow {
  package init() { self.init(device: Digest256(), keyID: Digest256(), time: 0, isValid: false) }

  /// Codes everything but the device: failed (0), valid (1), or valid but rejected (2).
  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var outcome: UInt8 = isValid ? (isRejected ? 2 : 1) : 0
    try coder.number(&time)
    try coder.digest(&keyID)
    try coder.number(&outcome)
    try coder.require(outcome <= 2)
    (isValid, isRejected) = (outcome > 0, outcome == 2)
    try coder.optional(&name)
  }
}
