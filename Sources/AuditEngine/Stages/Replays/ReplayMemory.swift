internal import AppAttest
internal import AuditLog
internal import Glibc

/// The memory of the replay audit: reads that of earlier runs, and adds to it for later ones.
@safe final class ReplayMemory {
  private let history: RunMemory
  /// The time by which challenges are put back.
  private let tolerance: Int64
  private let row: RowBuilder
  /// Whether challenges are examined.
  let checksChallenges: Bool
  private let requiresChallenges: Bool
  /// The events of the group that was recalled, if challenges are examined.
  private var events = KeptEvents()

  init(_ history: RunMemory, _ detection: DetectionPolicy, _ shuffles: Shuffles) {
    checksChallenges = detection.looksAtChallenges
    requiresChallenges = detection.challengesRequired
    self.history = history
    tolerance = detection.reorderTolerance
    row = RowBuilder(texts: shuffles.texts)
  }

  // MARK: What was

  /// Brings back what earlier runs saw of a hash of ``HashRow/groupLength`` bytes, ascending.
  func recall(
    _ key: UnsafeRawBufferPointer, _ group: ReplayGroup, _ issued: IssuedChallenges
  ) throws(AuditError) {
    events.removeAll()
    var number: UInt32 = 0
    try unsafe history.hashes.forEach(key) { (bytes) throws(AuditError) in
      let record = unsafe try KeptRecord(bytes)
      guard unsafe Self.begins(bytes, with: key), record.position.source < history.firstSource
      else {
        throw AuditError(.inconsistent, "a remembered record is not one of an earlier run")
      }
      // What was damaged then counts among what was, for the sake of the events around it.
      let isDamage = history.isNewlyReplaced(record.position)
      guard isDamage || !history.leavesAside(record.position) else { return }
      guard record.kind != .challenge else {
        // An earlier run that did not require challenges kept it.
        if requiresChallenges, record.flags.contains(.inferred) { return }
        return try issued.add(
          earlier: IssuedChallenges.Issue(
            time: record.time &- tolerance, position: record.position, isDamage: isDamage))
      }
      if checksChallenges, !isDamage { events.add(record) }
      number &+= 1
      HashRow.write(record, number, isDamage: isDamage, row)
      unsafe try group.add(row.row, CodeSet())
    }
  }

  /// Returns whether a record is of the group with these bytes, which are not more than its own.
  private static func begins(
    _ record: UnsafeRawBufferPointer, with key: UnsafeRawBufferPointer
  ) -> Bool {
    guard let left = record.baseAddress, let right = key.baseAddress else { return false }
    return unsafe memcmp(left, right, min(key.count, record.count)) == 0
  }

  /// Whether the group has more events with challenges that come late than are examined.
  var passesOver: Bool { events.passesOver }

  /// Returns the next event of an earlier run before `time`; ``KeptEvents/next(before:)``.
  func next(before time: Int64) -> (time: Int64, position: Position)? {
    events.next(before: time)
  }

  // MARK: What is to be known

  /// Leaves a challenge of this run to later ones; in ascending order of groups, as events are.
  func remember(challenge row: HashRow) throws(AuditError) {
    try remember(row.rememberedChallenge(tolerance: tolerance))
  }

  /// Leaves an event to later runs; `blame` says what speaks against it.
  func remember(event row: HashRow, blame: KeptRecord.Flags) throws(AuditError) {
    try remember(row.rememberedEvent(blame: blame))
  }

  private func remember(_ remembered: KeptRecord) throws(AuditError) {
    guard history.mode == .advance else { return }
    row.begin()
    row.put(remembered)
    unsafe try history.remember(hash: row.row)
  }
}
