internal import AppAttest
internal import RowShuffle

/// The events of a group beyond memory: sorted into one order after the other.
struct ReplaySorters {
  /// Bytes for each sorter.
  private let memory: Int
  /// The share of eight sorters' memory that one has while it is read: at most four others are written then, and
  /// at most two are read at once.
  private static let mergeShare = 4
  private let folder: String
  private let row: RowBuilder
  private let order: SourceOrder

  init(_ shuffles: Shuffles, _ order: SourceOrder) {
    self.order = order
    memory = shuffles.groupSorter
    folder = shuffles.folder
    row = RowBuilder(texts: shuffles.texts)
  }

  /// Returns an empty sorter for events in that order, which are read once.
  func make(_ order: ReplayOrder) -> RowSorter {
    RowSorter(
      RowSorter.Settings(
        keyLength: order.keyLength, writers: 1, memory: memory,
        mergeMemory: Self.mergeShare * memory, folder: folder, isReadOnce: true))
  }

  /// Writes an event into the sorter of an order: key, codes, note, and the row as it is.
  func put(
    _ event: ReplayEvent, _ bytes: UnsafeRawBufferPointer, _ order: ReplayOrder,
    _ sorter: RowSorter
  ) throws(AuditError) {
    var event = event
    if order == .request { event.identify() }
    row.begin()
    order.write(event, row)
    row.put(event.codes.bits)
    row.put(event.note.twin)
    put(event.note.same)
    row.put(event.note.firstOfKey?.position)
    row.put(event.note.firstOfKey?.time ?? 0)
    row.put(event.note.isAttestedBefore ? UInt8(1) : 0)
    put(event.note.finding)
    row.put(UInt16(bytes.count))
    unsafe row.put(copying: bytes)
    unsafe try sorter.writer(0).append(row.row)
  }

  private func put(_ finding: ReplayFinding?) {
    row.put(finding?.code.rawValue ?? UInt8.max)
    guard let finding else { return }
    row.put(finding.related)
    row.put(finding.time)
    row.put(finding.otherKey == nil ? UInt8(0) : 1)
    if let key = finding.otherKey { row.put(key) }
  }

  private func finding(_ cursor: inout RowCursor) -> ReplayFinding? {
    guard let code = FindingCode(rawValue: cursor.number()),
      let position = cursor.optionalPosition()
    else { return nil }
    let place = ReplayPlace(position: position, time: cursor.number())
    let hasKey = cursor.number(UInt8.self) != 0
    return ReplayFinding(code, place, otherKey: hasKey ? cursor.digest() : nil)
  }

  /// Reads what `put` wrote, with the row's bytes.
  private func event(
    _ bytes: UnsafeRawBufferPointer, _ order: ReplayOrder
  ) -> (ReplayEvent, UnsafeRawBufferPointer) {
    var cursor = unsafe RowCursor(bytes)
    cursor.skip(order.keyLength)
    let codes = CodeSet(bits: cursor.number())
    var note = ReplayNote()
    note.twin = cursor.optionalPosition()
    note.same = finding(&cursor)
    let first = cursor.optionalPosition()
    let firstTime = cursor.number(Int64.self)
    note.firstOfKey = first.map { ReplayPlace(position: $0, time: firstTime) }
    note.isAttestedBefore = cursor.number(UInt8.self) != 0
    note.finding = finding(&cursor)
    let length = Int(cursor.number(UInt16.self))
    let row = unsafe cursor.bytes(length)
    return unsafe (ReplayEvent(row: HashRow(row), codes: codes, note: note, self.order), row)
  }

  /// Judges the events of a sorter in the order `place`, and calls `body` for each: ``ReplayGroup``.
  func settle(
    _ sorter: RowSorter, _ policy: DetectionPolicy, isRevised: Bool,
    _ body: (ReplayEvent, _ was: ReplayNote) throws(AuditError) -> Void
  ) throws(AuditError) {
    let (now, before) = (make(.request), make(.request))
    // What is said in the end, in the order of places.
    let (said, wasSaid) = (make(.place), make(.place))
    let rows = try sorter.merged()
    var places = PlaceTracker()
    while let bytes = unsafe try rows.next() {
      let (event, row) = unsafe event(bytes, .place)
      let (isNow, isBefore) = places.take(event)
      if isBefore, isRevised, event.isLookedAt { unsafe try put(event, row, .request, before) }
      guard isNow else { continue }
      unsafe try put(
        event, row, event.isLookedAt ? .request : .place, event.isLookedAt ? now : said)
    }
    try judge(now, policy, into: said)
    try judge(before, policy, into: wasSaid)
    let (live, old) = (try said.merged(), try wasSaid.merged())
    var was: (position: Position, note: ReplayNote)?
    while let bytes = unsafe try live.next() {
      let event = unsafe event(bytes, .place).0
      if event.isRemembered, !isRevised { continue }
      let position = event.row.position
      while was.map({ $0.position < position }) ?? true {
        guard let bytes = unsafe try old.next() else {
          was = nil
          break
        }
        let event = unsafe self.event(bytes, .place).0
        was = (event.row.position, event.note)
      }
      let note = was.flatMap { $0.position == position ? $0.note : nil }
      try body(event, note ?? ReplayNote())
    }
  }

  /// Lets a judge look at all events of a sorter in its first order; they leave in the order of places.
  private func judge(
    _ sorter: RowSorter, _ policy: DetectionPolicy, into result: RowSorter
  ) throws(AuditError) {
    var judge = HashJudge(policy)
    var sorter = sorter
    let orders = HashJudge.orders
    for (index, order) in orders.enumerated() {
      let isLast = index + 1 == orders.count
      let next = isLast ? ReplayOrder.place : orders[index + 1]
      let target = isLast ? result : make(next)
      let rows = try sorter.merged()
      while let bytes = unsafe try rows.next() {
        var (event, row) = unsafe event(bytes, order)
        if order == .request || order == .same { event.identify() }
        judge.take(&event, in: order)
        unsafe try put(event, row, next, target)
      }
      sorter = target
    }
  }
}
