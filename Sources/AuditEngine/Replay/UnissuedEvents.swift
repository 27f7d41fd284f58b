internal import AppAttest

/// The events of earlier runs with one hash, of which it was said that their challenge had not been
/// handed out: until a log that came late says that it had.
struct UnissuedEvents {
  /// How many events of one hash are looked at: honest ones are one or two.
  private static let limit = 4096

  private var events: [RememberedRecord] = []
  /// When this run says that the hash was first handed out, as in the rows' keys.
  private var issued: Int64?

  /// Whether there is a challenge of this run.
  var hasChallenge: Bool { issued != nil }

  /// Takes a challenge of this run, handed out at `time` less the tolerance.
  mutating func take(challengeAt time: Int64) {
    issued = min(issued ?? time, time)
  }

  /// Takes an event of an earlier run.
  mutating func take(_ event: RememberedRecord) {
    // Of other hashes than those of 32 bytes only the digest is remembered.
    guard events.count < Self.limit, event.hashLength == Digest256.byteCount else { return }
    events.append(event)
  }

  /// Closes `challenge.not_issued` of the events that the challenge stands in front of; a challenge
  /// that was too old at the event (`ttl`, in milliseconds) leaves the finding as it is.
  func close(
    tolerance: Int64, ttl: Int64?, _ closed: ClosedFindings
  ) throws(AuditError) {
    guard let issued else { return }
    for event in events where event.time >= issued {
      if let ttl, event.time - (issued + tolerance) > ttl { continue }
      let keyID = event.flags.contains(.ofDevice) ? nil : event.owner
      let fingerprint = Fingerprint.record(
        .challengeNotIssued, kind: event.kind, keyID: keyID, clientDataHash: event.hash.bytes,
        counter: event.counter, time: event.time)
      try closed.close(.challengeNotIssued, of: event.owner, fingerprint: fingerprint)
    }
  }

  /// Forgets all of them.
  mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    issued = nil
  }
}
