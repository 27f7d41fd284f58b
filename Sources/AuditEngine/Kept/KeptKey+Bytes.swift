internal import AppAttest

// The fields of a key's record, for tables and for streams.
extension KeptKey: CodedRow {
  package init() { self.init(keyID: Digest256()) }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try codeFacts(&coder)
    try codeCounters(&coder)
  }

  /// Codes everything but the counters.
  package mutating func codeFacts<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
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
    try coder.optional(&subject)
    try coder.number(&waitingFrom)
  }

  package mutating func codeCounters<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var counters = CounterPast()
    (counters.highs, counters.stored, counters.seen) = (highs, stored, seen)
    try coder.packed(&counters)
    (highs, stored, seen) = (counters.highs, counters.stored, counters.seen)
  }
}

extension KeptKey.Subject: CodedRow {
  package init() { self.init(identity: [], text: "") }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.counted(&identity)
    try coder.text(&text)
    try coder.optional(&position)
    try coder.optional(&time)
  }
}

extension KeptDevice: CodedRow {
  package init() { self.init(device: Digest256(), keyID: Digest256(), time: 0, isValid: false) }

  /// Codes everything but the device. A number says whether the attestation failed (0), is valid
  /// (1), or is valid but was rejected (2).
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
