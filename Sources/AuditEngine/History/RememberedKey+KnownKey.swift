internal import AppAttest

extension RememberedKey {
  /// A key of a list of known keys, as if it had been attested at `position`, its place in the list.
  package init(_ key: KnownKey, at position: Position) {
    self.init(keyID: key.keyID)
    firstValid = position
    firstAttestation = position
    publicKey = key.publicKey
    appID = key.appID
    environment = key.environment
    attestedAt = key.attestedAt
    subject = key.subject.map { text in
      Subject(identity: RowText.identity(of: Array(text.utf8)), text: text)
    }
    if let counter = key.lastCounter { raise(to: counter) }
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
