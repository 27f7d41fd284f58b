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
  /// Whether an event's challenge is looked at again, once a log has brought it late.
  let checksChallenges: Bool
  /// Those of the group that was recalled, where challenges are looked at.
  private var events = EarlierEvents()
  private var closings = GroupClosings()

  init(
    _ history: RunHistory, _ detection: DetectionPolicy, _ shuffles: Shuffles,
    _ closed: ClosedFindings
  ) {
    self.closed = closed
    checksChallenges = detection.challengesRequired || detection.challengeTTL != nil
    self.history = history
    tolerance = detection.reorderTolerance
    row = RowBuilder(texts: shuffles.texts)
    unsafe record = .allocate(byteCount: RememberedRecord.byteCount, alignment: 16)
  }

  deinit {
    unsafe record.deallocate()
  }

  // MARK: What was

  /// Brings back what earlier runs saw of a hash; `key` is ``HashRow/groupLength`` bytes. Groups are
  /// asked for in ascending order, each once.
  func recall(
    _ key: UnsafeRawBufferPointer, _ group: ReplayGroup, _ issued: IssuedChallenges
  ) throws(AuditError) {
    events.removeAll()
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
      if checksChallenges { events.add(record) }
      if record.flags.contains(.behind) { closings.isNeeded = true }
      HashRow.write(record, row)
      unsafe try group.add(row.row, CodeSet())
    }
  }

  /// Whether a record is of the group with these bytes, which are not more than its own.
  private static func begins(
    _ record: UnsafeRawBufferPointer, with key: UnsafeRawBufferPointer
  ) -> Bool {
    guard let left = record.baseAddress, let right = key.baseAddress else { return false }
    return unsafe memcmp(left, right, min(key.count, record.count)) == 0
  }

  /// The next event of an earlier run before `time` whose challenge may have come late;
  /// ``EarlierEvents/next(before:)``.
  func next(before time: Int64) -> (event: RememberedRecord, isLast: Bool)? {
    events.next(before: time)
  }

  /// An event waited until this run, which judges it: what earlier ones saw of it is no other event.
  func judges(_ event: HashRow) {
    events.remove(event.position)
    closings.isNeeded = true
  }

  // MARK: Findings of earlier runs

  /// Whether an earlier run reported one of the findings, and it stands.
  func wasReported(_ fingerprints: [UInt64]) throws(AuditError) -> Bool {
    for fingerprint in fingerprints {
      if let sighting = try history.findings.sighting(fingerprint), !sighting.isClosed {
        return true
      }
    }
    return false
  }

  /// Closes those of the findings that an earlier run reported, at the end of the group and unless
  /// they stand for another event; `owner` is the key, or the device.
  func close(_ code: FindingCode, of owner: Digest256, _ fingerprints: [UInt64]) {
    for fingerprint in fingerprints { closings.close(code, of: owner, fingerprint) }
  }

  /// Takes note of a finding, where an earlier run may have reported it; the fingerprints are asked
  /// for only then.
  func stands(_ fingerprints: @autoclosure () -> [UInt64]) {
    guard closings.isNeeded else { return }
    for fingerprint in fingerprints() { closings.stands(fingerprint) }
  }

  /// Ends a group.
  func endGroup() throws(AuditError) {
    for closing in closings.end() {
      try closed.close(closing.code, of: closing.owner, fingerprint: closing.fingerprint)
    }
  }

  // MARK: What is to be known

  /// Leaves a challenge of this run to later ones; in ascending order of groups, as events are.
  func remember(challenge row: HashRow) throws(AuditError) {
    try remember(row.rememberedChallenge(tolerance: tolerance))
  }

  /// Leaves an event of this run to later ones; `isBlameless` as in
  /// ``RememberedRecord/Flags/blameless``.
  func remember(event row: HashRow, isBlameless: Bool) throws(AuditError) {
    try remember(row.rememberedEvent(isBlameless: isBlameless))
  }

  private func remember(_ remembered: RememberedRecord) throws(AuditError) {
    guard history.mode == .advance else { return }
    unsafe remembered.write(to: record)
    unsafe try history.hashes.remember(UnsafeRawBufferPointer(record))
  }
}
