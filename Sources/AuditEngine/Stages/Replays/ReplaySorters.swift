internal import AppAttest
internal import AuditLog
internal import RowShuffle

/// The events of a group beyond memory. Their rows are in a sorter by place; what the replay table asks
/// for is sorted into one order after the other, and what it finds is joined with the rows.
struct ReplaySorters {
  private let memory: Int
  private let space: SpillSpace
  private let row: RowBuilder
  private let order: SourceOrder

  init(_ shuffles: Shuffles, _ order: SourceOrder) {
    self.order = order
    memory = shuffles.groupSorter
    space = shuffles.space
    row = RowBuilder(texts: shuffles.texts)
  }

  /// Makes an empty sorter that has so many of eight sorters' memory while it is read.
  private func make(_ keyLength: Int, share: Int, isReadOnce: Bool = true) -> RowSorter {
    RowSorter(
      RowSorter.Settings(
        keyLength: keyLength, writers: 1, memory: memory, mergeMemory: share * memory,
        space: space, isReadOnce: isReadOnce))
  }

  /// Makes an empty sorter for the judge. While it is read, at most four others are in use.
  private func make(_ order: ReplayOrder) -> RowSorter { make(order.keyLength, share: 4) }

  // MARK: Rows

  private static let placeLength = 4 + 8 + 4

  /// Makes an empty sorter for rows, in the order of (position, precedence). They are read twice.
  func makeForRows() -> RowSorter { make(Self.placeLength, share: 2, isReadOnce: false) }

  func put(
    _ bytes: UnsafeRawBufferPointer, _ codes: CodeSet, _ sorter: RowSorter
  ) throws(AuditError) {
    let event = unsafe HashRow(bytes)
    row.begin()
    row.big(event.position)
    row.big(event.precedence)
    row.put(codes.bits)
    unsafe row.put(copying: bytes)
    unsafe try sorter.writer(0).append(row.row)
  }

  /// Calls `body` with each row of a sorter: whether it says what its event is, and what it was.
  private func forEach(
    _ sorter: RowSorter,
    _ body: (JudgedEvent, _ isNow: Bool, _ isBefore: Bool) throws(AuditError) -> Void
  ) throws(AuditError) {
    let rows = try sorter.merged()
    var places = PlaceTracker()
    while let bytes = unsafe try rows.next() {
      var cursor = unsafe RowCursor(bytes)
      cursor.skip(Self.placeLength)
      let codes = CodeSet(bits: cursor.number())
      let event = unsafe JudgedEvent(row: HashRow(cursor.remainder()), codes: codes)
      let (isNow, isBefore) = places.take(event.row)
      try body(event, isNow, isBefore)
    }
  }

  // MARK: Judging

  /// Judges the events of a sorter of rows, and calls `body` for each: ``ReplayGroup``.
  func settle(
    _ sorter: RowSorter, _ policy: DetectionPolicy,
    _ body: (JudgedEvent, _ was: ReplayNote) throws(AuditError) -> Void
  ) throws(AuditError) {
    let (now, before) = (make(.request), make(.request))
    try forEach(sorter) { (event, isNow, isBefore) throws(AuditError) in
      guard event.isLookedAt, isNow || isBefore else { return }
      if isNow { try put(ReplayEvent(event.row, order), .request, now) }
      if isBefore { try put(ReplayEvent(event.row, order, isAtHand: !isNow), .request, before) }
    }
    let said = try ReplayNotes(judge(now, policy))
    let wasSaid = try ReplayNotes(judge(before, policy))
    try forEach(sorter) { (event, isNow, _) throws(AuditError) in
      guard isNow else { return }
      var event = event
      let position = event.row.position
      event.note = try said.note(at: position)
      try body(event, wasSaid.note(at: position))
    }
  }

  /// Judges all events of a sorter in the first order, and returns the notes.
  private func judge(
    _ sorter: RowSorter, _ policy: DetectionPolicy
  ) throws(AuditError) -> RowSorter {
    var judge = HashJudge(policy)
    var sorter = sorter
    // It is read together with one of its kind and the rows.
    let notes = make(ReplayNoteRow.keyLength, share: 2)
    let orders = ReplayOrder.allCases
    for (index, order) in orders.enumerated() {
      let next = index + 1 < orders.count ? orders[index + 1] : nil
      let target = next.map { make($0) } ?? notes
      let rows = try sorter.merged()
      while let bytes = unsafe try rows.next() {
        var event = unsafe try ReplayEvent(bytes, order)
        judge.take(&event, in: order)
        if let next {
          try put(event, next, target)
        } else {
          try ReplayNoteRow(position: event.position, note: event.note).write(row)
          unsafe try target.writer(0).append(row.row)
          if let place = event.note.settles {
            try ReplayNoteRow(position: place, note: event.note.told(event.decision)).write(row)
            unsafe try target.writer(0).append(row.row)
          }
        }
      }
      sorter = target
    }
    return notes
  }

  private func put(
    _ event: ReplayEvent, _ order: ReplayOrder, _ sorter: RowSorter
  ) throws(AuditError) {
    try event.write(order, row)
    unsafe try sorter.writer(0).append(row.row)
  }
}

/// The verdicts of a judge on events, in the order of their positions.
private final class ReplayNotes {
  private let rows: RowMerger
  private var next: ReplayNoteRow?

  init(_ sorter: RowSorter) throws(AuditError) {
    rows = try sorter.merged()
    try advance()
  }

  /// Returns the note on the event at a position, or an empty one; positions ascend.
  func note(at position: Position) throws(AuditError) -> ReplayNote {
    while let next, next.position < position { try advance() }
    var note = ReplayNote()
    while let next, next.position == position {
      note.join(next.note)
      try advance()
    }
    return note
  }

  private func advance() throws(AuditError) {
    next = unsafe try rows.next().map { (bytes) throws(AuditError) in
      unsafe try ReplayNoteRow(bytes)
    }
  }
}
