internal import AppAttest
internal import AuditLog
internal import RowShuffle

/// The events of one clientDataHash that take part in the replay audit, those of earlier runs
/// included: in memory as long as they are few, in sorted runs beyond that.
@safe final class ReplayGroup {
  /// Room for the events of a group in memory.
  static let capacity = 1 << 20

  private let policy: DetectionPolicy
  private let buffer: UnsafeMutableRawPointer
  private var used = 0
  private var items: [(offset: Int, length: Int, codes: CodeSet)] = []
  /// Holds all of the group where it does not fit into the buffer.
  private var spilled: RowSorter?
  private let sorters: ReplaySorters
  /// The number of events of this run.
  private var count = 0
  /// The last remembered event, and the first of this run, of each kind in the order of the replay table.
  private var lastRemembered: [Place?] = [nil, nil, nil]
  private var firstLive: [Place?] = [nil, nil, nil]
  /// Whether something else may be said of remembered events than before this run.
  private var isRevised = false

  /// The place of an event in the order of the replay table.
  private struct Place: Comparable {
    var rank: UInt8
    var time: Int64
    var position: Position

    static func < (left: Place, right: Place) -> Bool {
      (left.rank, left.time, left.position) < (right.rank, right.time, right.position)
    }
  }

  init(policy: DetectionPolicy, shuffles: Shuffles) {
    self.policy = policy
    sorters = ReplaySorters(shuffles)
    unsafe buffer = .allocate(byteCount: Self.capacity, alignment: 64)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  /// Adds an event: a row of the shuffle by clientDataHash or a remembered one, and the codes found
  /// for it.
  func add(_ bytes: UnsafeRawBufferPointer, _ codes: CodeSet) throws(AuditError) {
    let event = unsafe ReplayEvent(row: HashRow(bytes), codes: codes)
    note(event)
    if let spilled { return unsafe try sorters.put(event, bytes, .place, spilled) }
    if used + bytes.count > Self.capacity {
      let sorter = sorters.make(.place)
      for item in items {
        unsafe try sorters.put(self.event(item), self.bytes(item), .place, sorter)
      }
      spilled = sorter
      return unsafe try sorters.put(event, bytes, .place, sorter)
    }
    unsafe (buffer + used).copyMemory(
      from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
    items.append((used, bytes.count, codes))
    used += bytes.count
  }

  /// Takes note that something else may be said of remembered events.
  func revise() { isRevised = true }

  private func note(_ event: ReplayEvent) {
    let row = event.row
    if !event.isRemembered {
      count += 1
      if row.flags.contains(.kept) { isRevised = true }
    }
    guard event.isLookedAt else { return }
    let place = Place(rank: event.rank, time: row.time, position: row.position)
    let kind = Int(row.kind.rawValue)
    if event.isRemembered {
      lastRemembered[kind] = max(lastRemembered[kind] ?? place, place)
    } else {
      firstLive[kind] = min(firstLive[kind] ?? place, place)
    }
  }

  /// Whether an event of this run stands in front of a remembered one.
  private var isAhead: Bool {
    zip(firstLive, lastRemembered).contains { live, last in
      live.flatMap { live in last.map { live < $0 } } ?? false
    }
  }

  private func bytes(
    _ item: (offset: Int, length: Int, codes: CodeSet)
  ) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: buffer + item.offset, count: item.length)
  }

  private func event(_ item: (offset: Int, length: Int, codes: CodeSet)) -> ReplayEvent {
    unsafe ReplayEvent(row: HashRow(bytes(item)), codes: item.codes)
  }

  /// Calls `body` for every event of this run, with what the replay table has for it; then the group is
  /// empty. Where this run may change what is said of events of earlier ones, for those as well, with
  /// what was said before: nil of an event that took no part.
  func settle(
    _ body: (ReplayEvent, _ was: ReplayNote?) throws(AuditError) -> Void
  ) throws(AuditError) {
    defer {
      items.removeAll(keepingCapacity: true)
      used = 0
      spilled = nil
      count = 0
      lastRemembered = [nil, nil, nil]
      firstLive = [nil, nil, nil]
      isRevised = false
    }
    guard count > 0 || isRevised else { return }
    let isRevised = isRevised || isAhead
    if let spilled {
      return try sorters.settle(spilled, policy, isRevised: isRevised, body)
    }
    var events = items.map { event($0) }
    if events.count == 1 {
      // Alone, it was and is the first.
      return try body(
        events[0], events[0].isRemembered && events[0].isLookedAt ? ReplayNote() : nil)
    }
    var before: [ReplayEvent] = []
    if events.contains(where: \.isRemembered) {
      var places = PlaceTracker()
      events.sort(by: ReplayOrder.place.precedes)
      events = events.filter { event in
        let (isNow, isBefore) = places.take(event)
        if isBefore, isRevised { before.append(event) }
        return isNow
      }
    }
    var was: [Position: ReplayNote] = [:]
    before.removeAll { !$0.isLookedAt }
    HashJudge.judge(&before, policy)
    for event in before { was[event.row.position] = event.note }
    for event in events where !event.isLookedAt && (isRevised || !event.isRemembered) {
      try body(event, was[event.row.position])
    }
    events.removeAll { !$0.isLookedAt }
    HashJudge.judge(&events, policy)
    for event in events where isRevised || !event.isRemembered {
      try body(event, was[event.row.position])
    }
  }
}
