internal import AppAttest

/// A key of lists that were imported into the state: every run knows it as if its own list had it.
package struct ImportedKey: Sendable, Equatable {
  package var key: KnownKey
  /// Its place in the list that had it first, which is counted among the sources.
  package var position: Position

  package init(key: KnownKey, position: Position) {
    self.key = key
    self.position = position
  }
}

extension ImportedKey: CodedRow {
  package init() {
    self.init(
      key: KnownKey(keyID: Digest256(), publicKey: [], appID: ""),
      position: Position(source: 0, lineItem: 0))
  }

  /// Codes everything but the device.
  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.digest(&key.keyID)
    try coder.counted(&key.publicKey)
    try coder.require(key.publicKey.count == 65)
    try coder.text(&key.appID)
    try coder.value(&key.environment)
    try coder.optional(&key.attestedAt)
    try coder.optional(&key.lastCounter)
    try coder.optional(&key.lastCounterTime)
    try coder.optional(&key.subject)
    try coder.flag(&key.isAttestationLogged)
    try coder.position(&position)
  }
}

extension KnownKey {
  /// Returns what two lists know of a key: the highest counter, the earliest attestation.
  package func merging(_ other: KnownKey) -> KnownKey {
    var merged = self
    merged.environment = environment ?? other.environment
    merged.attestedAt = [attestedAt, other.attestedAt].compactMap(\.self).min()
    merged.subject = subject ?? other.subject
    merged.deviceID = deviceID ?? other.deviceID
    merged.isAttestationLogged = isAttestationLogged || other.isAttestationLogged
    if let counter = other.lastCounter, counter > lastCounter ?? 0 || lastCounter == nil {
      merged.lastCounter = counter
      merged.lastCounterTime = other.lastCounterTime
    }
    return merged
  }
}

extension KeptKey {
  /// Returns what is known of the key with what a list fills in, in which its place is `position`.
  package func merging(_ listed: KnownKey, at position: Position) -> KeptKey {
    var merged = self
    if firstValid == nil {
      merged.firstValid = position
      merged.firstAttestation = listed.isAttestationLogged ? position : nil
      merged.firstAttestationAt = listed.isAttestationLogged ? listed.attestedAt : nil
    } else if listed.isAttestationLogged {
      if firstAttestation == nil { merged.firstAttestationAt = firstValidAt }
      merged.firstAttestation = firstAttestation ?? firstValid
    }
    if publicKey.isEmpty {
      merged.publicKey = listed.publicKey
      merged.waitingFrom = 0
    }
    if appID.isEmpty { merged.appID = listed.appID }
    merged.environment = environment ?? listed.environment
    merged.attestedAt = [attestedAt, listed.attestedAt].compactMap(\.self).min()
    if snapshot.subject == nil, let text = listed.subject {
      merged.subjectText = text
      merged.snapshot.subject = KeySnapshot.Subject(
        identity: RowText.identity(of: Array(text.utf8)))
    }
    if let counter = listed.lastCounter {
      let time = snapshot.counters.highs.last?.time ?? High.beforeAll
      merged.snapshot.counters.take(lastCounter: counter, at: time)
    }
    return merged
  }
}
