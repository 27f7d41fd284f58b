internal import AppAttest
internal import AuditLog
internal import Glibc
internal import RowShuffle

/// The memory of the replay audit: reads that of earlier runs, and adds to it for later ones.
@safe final class ReplayMemory {
  private let history: RunMemory
  private let isAdvance: Bool
  /// The time by which challenges are put back.
  private let tolerance: Int64
  private let row: RowBuilder
  /// The records for later runs, on their way into the order of their bytes, or nil if they are elsewhere.
  private let records: RowWriter?
  // Nobody else has access to these.
  @exclusivity(unchecked) private var subjects = TextDigests(of: .subject)
  @exclusivity(unchecked) private var routes = TextDigests(of: .route)
  let checksChallenges: Bool
  private let requiresChallenges: Bool
  /// The number of events of one hash whose challenges are examined: honest ones are one or two.
  static let eventLimit = 4096
  /// The events of the group that was recalled, the last first, if challenges are examined.
  private var events: [(time: Int64, position: Position)] = []
  /// Whether the group has more events with challenges that come late than are examined.
  private(set) var passesOver = false

  init(
    _ history: RunMemory, _ detection: DetectionPolicy, _ shuffles: Shuffles, reducer: Int
  ) {
    checksChallenges = detection.looksAtChallenges
    requiresChallenges = detection.challengesRequired
    self.history = history
    isAdvance = history.mode == .advance
    tolerance = detection.reorderTolerance
    row = RowBuilder(texts: shuffles.texts)
    records = shuffles.records?.writer(reducer)
  }

  // MARK: What was

  /// Brings back what earlier runs saw of a hash of ``HashRow/groupLength`` bytes, ascending.
  func recall(
    _ key: UnsafeRawBufferPointer, _ group: ReplayGroup, _ issued: IssuedChallenges
  ) throws(AuditError) {
    events.removeAll(keepingCapacity: true)
    passesOver = false
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
      if checksChallenges, !isDamage {
        passesOver = events.count == Self.eventLimit
        if !passesOver { events.append((record.time, record.position)) }
      }
      number &+= 1
      HashRow.write(record, number, isDamage: isDamage, row)
      unsafe try group.add(row.row, CodeSet())
    }
    if events.count > 1 { events.sort { ($0.time, $0.position) > ($1.time, $1.position) } }
  }

  /// Returns whether a record is of the group with these bytes, which are not more than its own.
  private static func begins(
    _ record: UnsafeRawBufferPointer, with key: UnsafeRawBufferPointer
  ) -> Bool {
    guard let left = record.baseAddress, let right = key.baseAddress else { return false }
    return unsafe memcmp(left, right, min(key.count, record.count)) == 0
  }

  /// Returns the next event of an earlier run before `time`, which ascends, in the order of (time, position).
  func next(before time: Int64) -> (time: Int64, position: Position)? {
    guard let event = events.last, event.time < time else { return nil }
    return events.removeLast()
  }

  // MARK: What is to be known

  /// Leaves a challenge of this run to later ones.
  func remember(challenge event: HashRow) throws(AuditError) {
    guard isAdvance else { return }
    try remember(event.rememberedChallenge(tolerance: tolerance))
  }

  /// Leaves an event to later runs; `blame` says what speaks against it.
  func remember(
    event: HashRow, blame: @autoclosure () -> KeptRecord.Flags
  ) throws(AuditError) {
    guard isAdvance else { return }
    unsafe try remember(event.rememberedEvent(blame: blame(), &subjects, &routes))
  }

  private func remember(_ record: KeptRecord) throws(AuditError) {
    row.begin()
    row.put(record)
    if let records {
      unsafe try records.append(row.row)
    } else {
      unsafe try history.remember(hash: row.row)
    }
  }
}
