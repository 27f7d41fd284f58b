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
  /// Whether a list of known keys has the key, and no log an attestation that counts.
  var isListed: Bool { firstValid != nil && firstAttestation == nil }

  /// Makes a key of a list, as if it had been attested at `position`, its place there.
  package init(_ key: KnownKey, at position: Position) {
    self.init(keyID: key.keyID)
    firstValid = position
    firstAttestation = key.isAttestationLogged ? position : nil
    firstAttestationAt = key.isAttestationLogged ? key.attestedAt : nil
    publicKey = key.publicKey
    appID = key.appID
    environment = key.environment
    attestedAt = key.attestedAt
    subject = key.subject.map { text in
      Subject(identity: RowText.identity(of: Array(text.utf8)), text: text)
    }
    if let counter = key.lastCounter { raise(to: counter) }
  }

  /// Returns what is known of the key with what a list fills in.
  package func merging(_ listed: KnownKey, at position: Position) -> KeptKey {
    let other = KeptKey(listed, at: position)
    var merged = self
    if firstValid == nil {
      merged.firstValid = other.firstValid
      merged.firstAttestation = other.firstAttestation
      merged.firstAttestationAt = other.firstAttestationAt
    } else if listed.isAttestationLogged {
      if firstAttestation == nil { merged.firstAttestationAt = firstValidAt }
      merged.firstAttestation = firstAttestation ?? firstValid
    }
    if publicKey.isEmpty {
      merged.publicKey = other.publicKey
      merged.waitingFrom = 0
    }
    if appID.isEmpty { merged.appID = other.appID }
    merged.environment = environment ?? other.environment
    merged.attestedAt = [attestedAt, other.attestedAt].compactMap(\.self).min()
    merged.subject = subject ?? other.subject
    if let counter = listed.lastCounter { merged.raise(to: counter) }
    return merged
  }

  /// Records that a counter was reached by now, if it is higher than what is known.
  package mutating func raise(to counter: UInt32) {
    if let last = seen.last, counter <= last.upperBound { return }
    if let last = stored.last, last.counter < counter {
      stored.append(High(time: last.time, counter: counter))
    }
    if let last = highs.last {
      guard counter > last.counter else { return }
      highs.append(High(time: last.time, counter: counter))
    } else {
      highs.append(High(time: High.beforeAll, counter: counter))
    }
    if let last = seen.last, last.upperBound + 1 == counter {
      seen[seen.count - 1] = last.lowerBound...counter
    } else {
      seen.append(counter...counter)
    }
  }
}
