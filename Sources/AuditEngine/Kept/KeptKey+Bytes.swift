internal import AppAttest
internal import AuditLog

// A key's record in as few bytes as it needs, for logs and streams that are read once.
extension KeptKey {
  /// The key as it waits for a commit.
  package var bytes: [UInt8] {
    var writer = VariableBytesWriter()
    writer.put(keyID.bytes)
    writer.put(position: firstValid)
    writer.put(position: firstAttestation)
    writer.put(optional: firstAttestationAt)
    writer.put(publicKey)
    writer.put(appID)
    writer.put(optional: environment.map { Int64($0.rawValue) })
    writer.put(optional: attestedAt)
    writer.put(optional: firstValidAt)
    writer.put(osVersion)
    writer.put(optional: category.map { Int64($0.rawValue) })
    writer.put(bundleVersion)
    writer.put(receiptType)
    writer.put(optional: receiptCreated)
    writer.put(riskMetric)
    writer.put(optional: platform.map { Int64($0.rawValue) })
    writer.put(subject == nil ? 0 : 1)
    if let subject {
      writer.put(subject.identity)
      writer.put(subject.text)
      writer.put(position: subject.position)
      writer.put(optional: subject.time)
    }
    writer.put(CounterBytes.encode(highs, stored: stored))
    writer.put(CounterBytes.encode(seen))
    writer.put(UInt64(waitingFrom))
    return writer.bytes
  }

  /// Reads what ``bytes`` wrote, or gives nil for any other bytes.
  package init?(bytes: [UInt8]) {
    var reader = VariableBytesReader(bytes)
    guard let keyID = reader.block().flatMap({ Digest256($0) }) else { return nil }
    self.init(keyID: keyID)
    guard let firstValid = reader.position(), let firstAttestation = reader.position(),
      let firstAttestationAt = reader.optional(),
      let publicKey = reader.block(), let appID = reader.text(),
      let environment = reader.optional(), let attestedAt = reader.optional(),
      let firstValidAt = reader.optional(),
      let osVersion = reader.text(), let category = reader.optional(),
      let bundleVersion = reader.text(), let receiptType = reader.text(),
      let receiptCreated = reader.optional(), let riskMetric = reader.text(),
      let platform = reader.optional(),
      let hasSubject = reader.number()
    else { return nil }
    self.firstValid = firstValid
    self.firstAttestation = firstAttestation
    self.firstAttestationAt = firstAttestationAt
    self.publicKey = publicKey
    self.appID = appID
    self.environment = environment.flatMap { UInt8(exactly: $0) }
      .flatMap(AttestEnvironment.init(rawValue:))
    self.attestedAt = attestedAt
    self.firstValidAt = firstValidAt
    self.osVersion = osVersion
    self.category = category.flatMap { UInt32(exactly: $0) }
      .map(ValidationCategory.init(rawValue:))
    self.bundleVersion = bundleVersion
    self.receiptType = receiptType
    self.receiptCreated = receiptCreated
    self.riskMetric = riskMetric
    self.platform = platform.flatMap { UInt8(exactly: $0) }.flatMap(KeyPlatform.init(rawValue:))
    if hasSubject == 1 {
      guard let identity = reader.block(), let text = reader.text(),
        let position = reader.position(), let time = reader.optional()
      else { return nil }
      self.subject = KeptKey.Subject(
        identity: identity, text: text, position: position, time: time)
    }
    guard let highs = reader.block().flatMap(CounterBytes.highs),
      let seen = reader.block().flatMap(CounterBytes.seen),
      let waitingFrom = reader.number(as: UInt32.self), reader.isAtEnd
    else { return nil }
    self.waitingFrom = waitingFrom
    (self.highs, self.stored) = highs
    self.seen = seen
  }
}
