internal import AppAttest

// A key's record for logs and streams that are read once.
extension KeptKey: CodedRow {
  init() { self.init(keyID: Digest256()) }

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.digest(&keyID)
    try coder.optional(&firstValid)
    try coder.optional(&firstAttestation)
    try coder.optional(&firstAttestationAt)
    try coder.counted(&publicKey)
    try coder.text(&appID)
    try coder.optional(&environment)
    try coder.optional(&attestedAt)
    try coder.optional(&firstValidAt)
    try facts.fields(&coder)
    try coder.optional(&subject)
    var reached = CounterBytes.encode(highs, stored: stored)
    var ranges = CounterBytes.encode(seen)
    try coder.counted(&reached)
    try coder.counted(&ranges)
    if Coder.isReading {
      let (found, seen) = (CounterBytes.highs(reached), CounterBytes.seen(ranges))
      try coder.require(found != nil && seen != nil)
      (highs, stored, self.seen) = (found?.highs ?? [], found?.stored ?? [], seen ?? [])
    }
    try coder.number(&waitingFrom)
  }

  /// The key as it waits for a commit.
  package var bytes: [UInt8] { packed }

  /// Reads what ``bytes`` wrote, or gives nil for any other bytes.
  package init?(bytes: [UInt8]) { self.init(packed: bytes) }
}

extension KeptKey.Subject: CodedRow {
  init() { self.init(identity: [], text: "") }

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.counted(&identity)
    try coder.text(&text)
    try coder.optional(&position)
    try coder.optional(&time)
  }
}

extension KeptDevice: CodedRow {
  init() { self.init(device: Digest256(), keyID: Digest256(), time: 0, isValid: false) }

  /// Codes everything but the device.
  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var flags: UInt8 = (isValid ? 1 : 0) | (isRejected ? 2 : 0) | (name == nil ? 0 : 4)
    try coder.digest(&keyID)
    try coder.number(&time)
    try coder.require(KeptKey.High.times.contains(time))
    try coder.number(&flags)
    try coder.require(flags < 8)
    (isValid, isRejected) = (flags & 1 != 0, flags & 2 != 0)
    guard flags & 4 != 0 else { return }
    var text = name ?? ""
    try coder.text(&text)
    name = text
  }
}
