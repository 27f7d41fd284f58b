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
  private let sorters: ReplaySorters
  private let order: SourceOrder
  private var content = Content()

  /// The events of the group at hand.
  private struct Content {
    var items: [Item] = []
    /// Bytes of the buffer that are filled.
    var used = 0
    /// The sorter of all events of the group, if they do not fit into the buffer.
    var spilled: RowSorter?
    /// The number of events of this run.
    var count = 0
    var attestations = Bounds()
    var assertions = Bounds()
    /// Whether the findings about remembered events may be others than before this run.
    var isRevised = false
    /// The most severe decision about an event of this run, and the mildest about a remembered one.
    var mostSevere = Decision.rejected
    var mildest = Decision.accepted

    mutating func removeAll() {
      items.removeAll(keepingCapacity: true)
      used = 0
      spilled = nil
      count = 0
      attestations = Bounds()
      assertions = Bounds()
      isRevised = false
      mostSevere = .rejected
      mildest = .accepted
    }
  }

  /// The place of an event in the buffer, and the codes found for it so far.
  private struct Item {
    var offset: Int
    var length: Int
    var codes: CodeSet
  }

  /// The last remembered event of a kind, and the first of this run, in the order of the replay
  /// table.
  private struct Bounds {
    private var lastRemembered: Place?
    private var firstLive: Place?

    mutating func note(_ place: Place, isRemembered: Bool) {
      if isRemembered {
        lastRemembered = max(lastRemembered ?? place, place)
      } else {
        firstLive = min(firstLive ?? place, place)
      }
    }

    /// Whether an event of this run comes before a remembered one.
    var isAhead: Bool {
      guard let firstLive, let lastRemembered else { return false }
      return firstLive < lastRemembered
    }
  }

  /// The place of an event in the order of the replay table.
  private struct Place: Comparable {
    var rank: UInt8
    var time: Int64
    var position: Position

    static func < (left: Place, right: Place) -> Bool {
      (left.rank, left.time, left.position) < (right.rank, right.time, right.position)
    }
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

  /// Adds an event: a row of the shuffle by clientDataHash or a remembered one, and the codes found
  /// for it.
  func add(_ bytes: UnsafeRawBufferPointer, _ codes: CodeSet) throws(AuditError) {
    note(unsafe HashRow(bytes))
    if let spilled = content.spilled { return unsafe try sorters.put(bytes, codes, spilled) }
    let used = content.used
    if used + bytes.count > Self.capacity {
      let sorter = sorters.makeForRows()
      for item in content.items { unsafe try sorters.put(self.bytes(item), item.codes, sorter) }
      content.spilled = sorter
      return unsafe try sorters.put(bytes, codes, sorter)
    }
    unsafe (buffer + used).copyMemory(
      from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
    content.items.append(Item(offset: used, length: bytes.count, codes: codes))
    content.used = used + bytes.count
  }

  /// Marks that the findings about remembered events may change.
  func revise() { content.isRevised = true }

  private func note(_ row: HashRow) {
    if !row.isRemembered {
      content.count += 1
      if row.flags.contains(.kept) { content.isRevised = true }
    } else if row.isDamage {
      content.isRevised = true
    }
    guard row.flags.contains(.lookedAt) else { return }
    if row.isRemembered {
      if row.decision.moreSevere(content.mildest) == content.mildest {
        content.mildest = row.decision
      }
    } else {
      content.mostSevere = content.mostSevere.moreSevere(row.decision)
    }
    let place = Place(rank: row.rank, time: row.time, position: order.place(of: row.position))
    if row.kind == .attestation {
      content.attestations.note(place, isRemembered: row.isRemembered)
    } else {
      content.assertions.note(place, isRemembered: row.isRemembered)
    }
  }

  private func bytes(_ item: Item) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: buffer + item.offset, count: item.length)
  }

  private func event(_ item: Item) -> JudgedEvent {
    unsafe JudgedEvent(row: HashRow(bytes(item)), codes: item.codes)
  }

  /// Calls `body` for every event of this run, with what the replay table has for it. Then the
  /// group is empty. Where this run may change the findings about events of earlier ones, `body` is
  /// called for those as well, with the note from before. The note is empty for an event that took
  /// no part.
  func settle(
    _ body: (JudgedEvent, _ was: ReplayNote) throws(AuditError) -> Void
  ) throws(AuditError) {
    defer { content.removeAll() }
    guard content.count > 0 || content.isRevised else { return }
    let isRevised =
      content.isRevised || content.attestations.isAhead || content.assertions.isAhead
      || content.mostSevere.moreSevere(content.mildest) != content.mildest
    if let spilled = content.spilled {
      return try sorters.settle(spilled, policy, isRevised: isRevised, body)
    }
    if content.items.count == 1 {
      // Alone, it was and is the first.
      let event = event(content.items[0])
      if event.row.isDamage { return }
      return try body(event, ReplayNote())
    }
    var events = content.items.map { event($0) }
    var before: [JudgedEvent] = []
    if events.contains(where: \.isRemembered) {
      var places = PlaceTracker()
      events.sort {
        ($0.row.position, $0.row.precedence) < ($1.row.position, $1.row.precedence)
      }
      events = events.filter { event in
        let (isNow, isBefore) = places.take(event.row)
        if isBefore, isRevised { before.append(event) }
        return isNow
      }
    }
    let said = notes(on: events)
    let wasSaid = notes(on: before)
    for var event in events where isRevised || !event.isRemembered {
      let position = event.row.position
      event.note = said[position, default: ReplayNote()]
      try body(event, wasSaid[position, default: ReplayNote()])
    }
  }

  /// Judges those events that take part.
  private func notes(on events: [JudgedEvent]) -> [Position: ReplayNote] {
    var judged = events.compactMap { $0.isLookedAt ? ReplayEvent($0.row, order) : nil }
    HashJudge.judge(&judged, policy)
    var notes = Dictionary(judged.map { ($0.position, $0.note) }) { first, _ in first }
    for event in judged {
      for position in event.note.graded {
        notes[position]?.join(ReplayNote(copies: event.decision))
      }
    }
    return notes
  }
}
