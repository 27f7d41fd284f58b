internal import AppAttest
internal import Glibc

/// What the replay audit knows of earlier runs, and what it leaves to later ones.
@safe final class ReplayMemory {
  private let history: RunHistory
  /// What a challenge's time was put back by.
  private let tolerance: Int64
  private let record: UnsafeMutableRawBufferPointer
  private let row: RowBuilder
  private let closed: ClosedFindings
  /// Those of the group that was recalled; nil where challenges need not be logged.
  private var unissued: UnissuedEvents?
  private let challengeTTL: Int64?

  init(
    _ history: RunHistory, _ detection: DetectionPolicy, _ shuffles: Shuffles,
    _ closed: ClosedFindings
  ) {
    self.closed = closed
    unissued = detection.challengesRequired ? UnissuedEvents() : nil
    challengeTTL = detection.challengeTTL
    self.history = history
    tolerance = detection.reorderTolerance
    row = RowBuilder(texts: shuffles.texts)
    unsafe record = .allocate(byteCount: RememberedRecord.byteCount, alignment: 16)
  }

  deinit {
    unsafe record.deallocate()
  }

  /// Brings back what earlier runs saw of a hash; `key` is ``HashRow/groupLength`` bytes. Groups are
  /// asked for in ascending order, each once.
  func recall(
    _ key: UnsafeRawBufferPointer, _ group: ReplayGroup, _ issued: IssuedChallenges
  ) throws(AuditError) {
    try unsafe history.hashes.forEach(key) { (bytes) throws(AuditError) in
      let record = unsafe try RememberedRecord(bytes)
      guard unsafe Self.begins(bytes, with: key), record.position.source < history.firstSource
      else {
        throw AuditError(.inconsistent, "a remembered record is not one of an earlier run")
      }
      guard !history.ignoredSources.contains(record.position.source) else { return }
      guard record.kind != .challenge else {
        return try issued.add(
          earlier: IssuedChallenges.Issue(
            time: record.time &- tolerance, position: record.position))
      }
      unissued?.take(record)
      HashRow.write(record, row)
      unsafe try group.add(row.row, CodeSet())
    }
  }

  /// Takes a challenge of this run of the group at hand.
  func take(challengeAt time: Int64) {
    unissued?.take(challengeAt: time)
  }

  /// Closes what was said of an event while it waited and is not found any more.
  func close(_ event: HashRow, found codes: CodeSet) throws(AuditError) {
    for code in Self.provisional where !codes.contains(code) {
      let fingerprint = unsafe Fingerprint.record(
        code, kind: event.kind, keyID: event.knownKeyID,
        clientDataHash: Array(event.rest.clientDataHash), counter: event.counter, time: event.time)
      try closed.close(code, of: event.keyID, fingerprint: fingerprint)
    }
  }

  /// What can be said of an assertion of an unknown key, and may be wrong once the key is known.
  private static let provisional: [FindingCode] = [
    .recordDuplicate, .replayRetry, .replayAssertion, .replayCrossKey, .replayClientDataHash,
    .challengeNotIssued, .challengeExpired,
  ]

  /// Whether this run has a challenge that earlier runs may have missed.
  var mayClose: Bool { unissued?.hasChallenge ?? false }

  /// Ends a group: closes what its challenges show to have been wrong.
  func endGroup() throws(AuditError) {
    try unissued?.close(tolerance: tolerance, ttl: challengeTTL, closed)
    unissued?.removeAll()
  }

  /// Whether a record is of the group with these bytes, which are not more than its own.
  private static func begins(
    _ record: UnsafeRawBufferPointer, with key: UnsafeRawBufferPointer
  ) -> Bool {
    guard let left = record.baseAddress, let right = key.baseAddress else { return false }
    return unsafe memcmp(left, right, min(key.count, record.count)) == 0
  }

  /// Leaves a challenge or an event of this run to later ones; in ascending order of their groups.
  func remember(_ row: HashRow) throws(AuditError) {
    guard history.mode == .advance else { return }
    unsafe row.remembered(tolerance: tolerance).write(to: record)
    unsafe try history.hashes.remember(UnsafeRawBufferPointer(record))
  }

  /// Whether an earlier run reported a finding about a record.
  func wasReported(_ fingerprint: UInt64) throws(AuditError) -> Bool {
    try history.findings.sighting(fingerprint) != nil
  }
}
