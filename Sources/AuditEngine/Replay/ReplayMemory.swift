internal import AppAttest
internal import Glibc

/// What the replay audit knows of earlier runs, and what it leaves to later ones.
@safe final class ReplayMemory {
  private let history: RunHistory
  /// What a challenge's time was put back by.
  private let tolerance: Int64
  private let record: UnsafeMutableRawBufferPointer
  private let row: RowBuilder
  /// What is said anew of events of earlier runs.
  let earlier: EarlierFindings
  /// Whether an event's challenge is looked at again, once a log has brought it late.
  let checksChallenges: Bool
  /// Those of the group that was recalled, where challenges are looked at.
  private var events = EarlierEvents()
  /// The records of the group at hand that may have waited: whether under their devices.
  private var waiting: [Position: Bool] = [:]
  /// Whether something is said anew of events of the group that was recalled, so that what stands has
  /// to be told.
  private(set) var isRevised = false

  init(
    _ history: RunHistory, _ detection: DetectionPolicy, _ shuffles: Shuffles,
    _ earlier: EarlierFindings
  ) {
    self.earlier = earlier
    checksChallenges = detection.challengesRequired || detection.challengeLimit != nil
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
    if isRevised { waiting.removeAll(keepingCapacity: true) }
    isRevised = false
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
      if record.flags.contains(.behind) { noteWaiting(record) }
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

  private func noteWaiting(_ record: RememberedRecord) {
    isRevised = true
    guard waiting.count < PendingClosings.limit else { return }
    waiting[record.position] = record.flags.contains(.ofDevice)
  }

  /// The next event of an earlier run before `time` whose challenge may have come late;
  /// ``EarlierEvents/next(before:)``.
  func next(before time: Int64) -> (event: RememberedRecord, isLast: Bool)? {
    events.next(before: time)
  }

  /// An event waited until this run, which judges it: what earlier ones saw of it is no other event.
  func judges(_ event: HashRow) {
    events.pass(event.position, time: event.time)
  }

  /// Whether an event that waited was known by its device only; nil where that is not remembered.
  func waitedAsDevice(_ event: HashRow) -> Bool? { waiting[event.position] }

  /// Ends a group: closes what was said of events of earlier runs and stands no more.
  func endGroup() throws(AuditError) {
    // The findings of events that nobody looked at may stand.
    if events.passesOver { earlier.closesNothing() }
    try earlier.settle()
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
