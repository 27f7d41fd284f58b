internal import AppAttest

/// The events of a group beyond memory: sorted into one order after the other.
struct ReplaySorters {
  private static let sorterMemory = 2 << 20

  private let folder: String
  private let row: RowBuilder

  init(_ shuffles: Shuffles) {
    folder = shuffles.folder
    row = RowBuilder(texts: shuffles.texts)
  }

  /// An empty sorter for events in that order.
  func make(_ order: ReplayOrder) -> RowSorter {
    RowSorter(
      RowSorter.Settings(
        keyLength: order.keyLength, writers: 1, memory: Self.sorterMemory, folder: folder))
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
    row.put(event.note.same?.code.rawValue ?? UInt8.max)
    row.put(event.note.same?.related)
    row.put(event.note.firstOfKey)
    row.put(event.note.isAttestedBefore ? UInt8(1) : 0)
    row.put(UInt16(bytes.count))
    unsafe row.put(copying: bytes)
    unsafe try sorter.writer(0).append(row.row)
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
    let code = FindingCode(rawValue: cursor.number())
    let related = cursor.optionalPosition()
    if let code, let related { note.same = (code, related) }
    note.firstOfKey = cursor.optionalPosition()
    note.isAttestedBefore = cursor.number(UInt8.self) != 0
    let length = Int(cursor.number(UInt16.self))
    let row = unsafe cursor.bytes(length)
    return unsafe (ReplayEvent(row: HashRow(row), codes: codes, note: note), row)
  }

  /// Lets all trackers but the last look at the events, and calls `body` with those that count, in
  /// its order; `sorter` has them in the order `first`.
  func settle(
    _ sorter: RowSorter, _ first: ReplayOrder, _ policy: DetectionPolicy,
    _ body: (ReplayEvent) throws(AuditError) -> Void
  ) throws(AuditError) {
    var sorter = sorter
    if first == .place {
      var places = PlaceTracker()
      sorter = try sorted(sorter, .place, into: .request) { places.keeps($0) }
    }
    var requests = RequestTracker()
    sorter = try sorted(sorter, .request, into: .same) { event in
      event.identify()
      requests.take(&event)
      return true
    }
    var same = SameTracker(policy)
    sorter = try sorted(sorter, .same, into: .key) { event in
      event.identify()
      same.take(&event)
      return true
    }
    var key = KeyTracker()
    sorter = try sorted(sorter, .key, into: .hash) { event in
      key.take(&event)
      return true
    }
    let rows = try sorter.merged()
    while let bytes = unsafe try rows.next() { try body(unsafe event(bytes, .hash).0) }
  }

  /// Reads one order, lets `note` look at each event, and sorts those that it keeps into the next
  /// order.
  private func sorted(
    _ sorter: RowSorter, _ order: ReplayOrder, into next: ReplayOrder,
    _ note: (inout ReplayEvent) -> Bool
  ) throws(AuditError) -> RowSorter {
    let result = make(next)
    let rows = try sorter.merged()
    while let bytes = unsafe try rows.next() {
      var (event, row) = unsafe event(bytes, order)
      guard note(&event) else { continue }
      unsafe try put(event, row, next, result)
    }
    return result
  }
}
