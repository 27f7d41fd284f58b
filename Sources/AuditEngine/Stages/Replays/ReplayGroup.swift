internal import AppAttest
internal import AuditLog
internal import RowShuffle

/// The events of one clientDataHash in the replay audit, in memory, or beyond it in sorted runs.
@safe final class ReplayGroup {
  /// Room for the events of a group in memory.
  static let capacity = 1 << 20

  private let policy: DetectionPolicy
  private let buffer: UnsafeMutableRawPointer
  private let sorters: ReplaySorters
  private let order: SourceOrder
  private var items: [Item] = []
  /// Bytes of the buffer that are filled.
  private var used = 0
  /// The sorter of all events of the group, if they do not fit into the buffer.
  private var spilled: RowSorter?
  /// Whether there is an event of this run, or something else that is new.
  private var hasNews = false

  /// The place of an event in the buffer, and the codes found for it so far.
  private struct Item {
    var offset: Int
    var length: Int
    var codes: CodeSet
  }

  init(policy: DetectionPolicy, shuffles: Shuffles, _ order: SourceOrder = SourceOrder()) {
    self.policy = policy
    self.order = order
    sorters = ReplaySorters(shuffles, order)
    unsafe buffer = .allocate(byteCount: Self.capacity, alignment: 64)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  /// Adds an event: a row of the shuffle or a remembered one, and the codes found for it.
  func add(_ bytes: UnsafeRawBufferPointer, _ codes: CodeSet) throws(AuditError) {
    let row = unsafe HashRow(bytes)
    if !row.isRemembered || row.isDamage { hasNews = true }
    if let spilled = spilled { return unsafe try sorters.put(bytes, codes, spilled) }
    if used + bytes.count > Self.capacity {
      let sorter = sorters.makeForRows()
      for item in items { unsafe try sorters.put(self.bytes(item), item.codes, sorter) }
      spilled = sorter
      return unsafe try sorters.put(bytes, codes, sorter)
    }
    unsafe (buffer + used).copyMemory(
      from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
    items.append(Item(offset: used, length: bytes.count, codes: codes))
    used += bytes.count
  }

  /// Marks that the findings about remembered events may change.
  func revise() { hasNews = true }

  private func bytes(_ item: Item) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: buffer + item.offset, count: item.length)
  }

  private func event(_ item: Item) -> JudgedEvent {
    unsafe JudgedEvent(row: HashRow(bytes(item)), codes: item.codes)
  }

  /// Calls `body` for every event with its notes, now and before this run, and empties the group.
  func settle(
    _ body: (JudgedEvent, _ was: ReplayNote) throws(AuditError) -> Void
  ) throws(AuditError) {
    defer {
      items.removeAll(keepingCapacity: true)
      (used, spilled, hasNews) = (0, nil, false)
    }
    guard hasNews else { return }
    if let spilled = spilled { return try sorters.settle(spilled, policy, body) }
    if items.count == 1 {
      // Alone, it was and is the first.
      let event = event(items[0])
      if event.row.isDamage { return }
      return try body(event, ReplayNote())
    }
    var events = items.map { event($0) }
    var before: [JudgedEvent] = []
    if events.contains(where: \.isRemembered) {
      var places = PlaceTracker()
      events.sort {
        ($0.row.position, $0.row.precedence) < ($1.row.position, $1.row.precedence)
      }
      events = events.filter { event in
        let (isNow, isBefore) = places.take(event.row)
        var was = event
        was.isAtHand = !isNow
        if isBefore { before.append(was) }
        return isNow
      }
    }
    let said = notes(on: events)
    let wasSaid = notes(on: before)
    for var event in events {
      let position = event.row.position
      event.note = said[position, default: ReplayNote()]
      try body(event, wasSaid[position, default: ReplayNote()])
    }
  }

  private func notes(on events: [JudgedEvent]) -> [Position: ReplayNote] {
    var judged = events.filter(\.isLookedAt).map {
      ReplayEvent($0.row, order, isAtHand: $0.isAtHand)
    }
    HashJudge.judge(&judged, policy)
    var notes = Dictionary(judged.map { ($0.position, $0.note) }) { first, _ in first }
    for event in judged {
      if let place = event.note.settles { notes[place]?.join(event.note.told(event.decision)) }
    }
    return notes
  }
}
