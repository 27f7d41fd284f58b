internal import AppAttest

/// The events of one clientDataHash that take part in the replay audit, those of earlier runs
/// included: in memory as long as they are few, in sorted runs beyond that.
@safe final class ReplayGroup {
  /// Room for the events of a group in memory.
  static let capacity = 1 << 20

  private let policy: DetectionPolicy
  /// The order that events beyond memory are first sorted into: with earlier runs, an event may have
  /// more than one row.
  private let firstOrder: ReplayOrder
  private let buffer: UnsafeMutableRawPointer
  private var used = 0
  private var items: [(offset: Int, length: Int, codes: CodeSet)] = []
  /// Holds all of the group where it does not fit into the buffer.
  private var spilled: RowSorter?
  private let sorters: ReplaySorters
  /// The number of events to be judged.
  private var count = 0
  /// Whether this run may change what stands in front of the events that could not be verified.
  private var changesFront = false
  /// Whether an event may have more than one row, or a row may not count.
  private var needsPlaces = false

  /// `remembers`: events of earlier runs may be among them.
  init(policy: DetectionPolicy, shuffles: Shuffles, remembers: Bool = false) {
    self.policy = policy
    firstOrder = remembers ? .place : .request
    sorters = ReplaySorters(shuffles)
    unsafe buffer = .allocate(byteCount: Self.capacity, alignment: 64)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  /// Adds an event: a row of the shuffle by clientDataHash or a remembered one, and the codes found
  /// for it. One that is not looked at only says that what is remembered of it does not count.
  func add(_ bytes: UnsafeRawBufferPointer, _ codes: CodeSet) throws(AuditError) {
    let row = unsafe HashRow(bytes)
    let isJudged = row.rowClass == .event && row.flags.contains(.lookedAt)
    if isJudged { count += 1 } else { needsPlaces = true }
    if row.rowClass == .event, !isJudged || !row.flags.contains(.behind) { changesFront = true }
    if let spilled {
      return unsafe try put(ReplayEvent(row: row, codes: codes), bytes, spilled)
    }
    if used + bytes.count > Self.capacity {
      let sorter = sorters.make(firstOrder)
      for item in items {
        let event = ReplayEvent(row: self.row(item), codes: item.codes)
        unsafe try put(event, self.bytes(item), sorter)
      }
      spilled = sorter
      return unsafe try put(ReplayEvent(row: row, codes: codes), bytes, sorter)
    }
    unsafe (buffer + used).copyMemory(
      from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
    items.append((used, bytes.count, codes))
    used += bytes.count
  }

  private func put(
    _ event: ReplayEvent, _ bytes: UnsafeRawBufferPointer, _ sorter: RowSorter
  ) throws(AuditError) {
    unsafe try sorters.put(event, bytes, firstOrder, sorter)
  }

  private func bytes(
    _ item: (offset: Int, length: Int, codes: CodeSet)
  ) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: buffer + item.offset, count: item.length)
  }

  private func row(_ item: (offset: Int, length: Int, codes: CodeSet)) -> HashRow {
    unsafe HashRow(bytes(item))
  }

  /// Calls `body` for every event of this run, in the order of (kind, rank, time, position), with
  /// the finding that the replay table has for it; then the group is empty. Where this run changes
  /// what stands in front of events that could not be verified, for those of earlier runs as well.
  func settle(
    _ body: (ReplayEvent, (code: FindingCode, related: Position)?) throws(AuditError) -> Void
  ) throws(AuditError) {
    defer {
      items.removeAll(keepingCapacity: true)
      used = 0
      spilled = nil
      count = 0
      changesFront = false
      needsPlaces = false
    }
    guard count > 0 || changesFront else { return }
    let changesFront = changesFront
    func isAsked(_ event: ReplayEvent) -> Bool {
      !event.isRemembered || changesFront
    }
    var hash = HashTracker(scope: policy.replayScope)
    if let spilled {
      return try sorters.settle(spilled, firstOrder, policy) { (event) throws(AuditError) in
        let finding = hash.take(event)
        if isAsked(event) { try body(event, finding) }
      }
    }
    if items.count == 1 {
      guard count == 1 else { return }
      return try body(ReplayEvent(row: row(items[0]), codes: items[0].codes), nil)
    }
    var events = items.map { ReplayEvent(row: row($0), codes: $0.codes) }
    note(&events)
    for event in events {
      let finding = hash.take(event)
      if isAsked(event) { try body(event, finding) }
    }
  }

  /// Lets all trackers but the last look at the events; leaves those that count, in its order.
  private func note(_ events: inout [ReplayEvent]) {
    if needsPlaces {
      events.sort(by: ReplayOrder.place.precedes)
      var places = PlaceTracker()
      events = events.filter { places.keeps($0) }
    }
    for index in events.indices { events[index].identify() }
    if events.contains(where: { $0.request != nil }) {
      var requests = RequestTracker()
      events.sort(by: ReplayOrder.request.precedes)
      for index in events.indices { requests.take(&events[index]) }
    }
    var same = SameTracker(policy)
    events.sort(by: ReplayOrder.same.precedes)
    for index in events.indices { same.take(&events[index]) }
    var key = KeyTracker()
    events.sort(by: ReplayOrder.key.precedes)
    for index in events.indices { key.take(&events[index]) }
    events.sort(by: ReplayOrder.hash.precedes)
  }
}
