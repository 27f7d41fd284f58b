internal import AppAttest

extension KeptKey {
  /// True where a list of known keys has the key, and no log an attestation that counts.
  var isListed: Bool { firstValid != nil && firstAttestation == nil }

  /// Makes a key of a list of known keys, as if it had been attested at `position`, its place in
  /// the list.
  package init(_ key: KnownKey, at position: Position) {
    self.init(keyID: key.keyID)
    firstValid = position
    firstAttestation = key.isAttestationLogged ? position : nil
    publicKey = key.publicKey
    appID = key.appID
    environment = key.environment
    attestedAt = key.attestedAt
    subject = key.subject.map { text in
      Subject(identity: RowText.identity(of: Array(text.utf8)), text: text)
    }
    if let counter = key.lastCounter { raise(to: counter) }
  }

  /// Returns what is known of the key once a list of known keys has been taken in, too: what the
  /// state knows stays, and what it does not know is filled in.
  package func merging(_ listed: KnownKey, at position: Position) -> KeptKey {
    let other = KeptKey(listed, at: position)
    var merged = self
    if firstValid == nil {
      merged.firstValid = other.firstValid
      merged.firstAttestation = other.firstAttestation
    } else if listed.isAttestationLogged {
      merged.firstAttestation = firstAttestation ?? firstValid
    }
    if publicKey.isEmpty {
      merged.publicKey = other.publicKey
      merged.waitingFrom = 0
    }
    if appID.isEmpty { merged.appID = other.appID }
    merged.environment = environment ?? other.environment
    merged.attestedAt = attestedAt ?? other.attestedAt
    merged.subject = subject ?? other.subject
    if let counter = listed.lastCounter { merged.raise(to: counter) }
    return merged
  }

  /// Takes note that a counter was reached by now, as a list of known keys has it; one that is not
  /// higher than what is known says nothing new.
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
