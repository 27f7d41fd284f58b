internal import AppAttest

/// The events of one clientDataHash that take part in the replay audit: in memory as long as they
/// are few, in sorted runs beyond that.
@safe final class ReplayGroup {
  /// Which order the events are wanted in; all end in (rank, time, position).
  enum Order: UInt8, CaseIterable {
    /// kind, key, identity
    case same
    /// kind, key
    case key
    /// kind
    case hash
  }

  /// Room for the events of a group in memory.
  static let capacity = 1 << 20
  private static let sorterMemory = 2 << 20

  private let policy: DetectionPolicy
  private let shuffles: Shuffles
  private let buffer: UnsafeMutableRawPointer
  private var used = 0
  private var items: [(offset: Int, length: Int, codes: CodeSet)] = []
  private var sorter: RowSorter?
  private let row: RowBuilder

  init(policy: DetectionPolicy, shuffles: Shuffles) {
    self.policy = policy
    self.shuffles = shuffles
    row = RowBuilder(texts: shuffles.texts)
    unsafe buffer = .allocate(byteCount: Self.capacity, alignment: 64)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  /// Adds an event: a row of the shuffle by clientDataHash, and the codes found for it.
  func add(_ bytes: UnsafeRawBufferPointer, _ codes: CodeSet) throws(AuditError) {
    if let sorter {
      return unsafe try put(
        ReplayEvent(row: HashRow(bytes), codes: codes), bytes, .same, sorter)
    }
    if used + bytes.count > Self.capacity {
      let sorter = makeSorter(.same)
      for item in items {
        let event = ReplayEvent(row: row(item), codes: item.codes)
        unsafe try put(event, self.bytes(item), .same, sorter)
      }
      self.sorter = sorter
      return unsafe try put(
        ReplayEvent(row: HashRow(bytes), codes: codes), bytes, .same, sorter)
    }
    unsafe (buffer + used).copyMemory(
      from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
    items.append((used, bytes.count, codes))
    used += bytes.count
  }

  private func bytes(
    _ item: (offset: Int, length: Int, codes: CodeSet)
  ) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: buffer + item.offset, count: item.length)
  }

  private func row(_ item: (offset: Int, length: Int, codes: CodeSet)) -> HashRow {
    unsafe HashRow(bytes(item))
  }

  /// Calls `body` for every event, in the order of (kind, rank, time, position), with the finding
  /// that the replay table has for it; then the group is empty.
  func settle(
    _ body: (ReplayEvent, (code: FindingCode, related: Position)?) throws(AuditError) -> Void
  ) throws(AuditError) {
    defer {
      items.removeAll(keepingCapacity: true)
      used = 0
      sorter = nil
    }
    guard !items.isEmpty else { return }
    var hash = HashTracker(scope: policy.replayScope)
    if let sorter {
      try settleSpilled(sorter) { (event) throws(AuditError) in try body(event, hash.take(event)) }
      return
    }
    if items.count == 1 {
      return try body(ReplayEvent(row: row(items[0]), codes: items[0].codes), nil)
    }
    var events = items.map { ReplayEvent(row: row($0), codes: $0.codes) }
    var same = SameTracker(retryTolerance: policy.retryTolerance)
    var key = KeyTracker()
    events.sort { Self.precedes($0, $1, .same) }
    for index in events.indices { same.take(&events[index]) }
    events.sort { Self.precedes($0, $1, .key) }
    for index in events.indices { key.take(&events[index]) }
    events.sort { Self.precedes($0, $1, .hash) }
    for event in events { try body(event, hash.take(event)) }
  }

  private static func precedes(_ a: ReplayEvent, _ b: ReplayEvent, _ order: Order) -> Bool {
    if a.row.kind != b.row.kind { return a.row.kind.rawValue < b.row.kind.rawValue }
    if order != .hash, a.row.owner != b.row.owner { return a.row.owner < b.row.owner }
    if order == .same {
      let left = unsafe Digest128(a.row.identity)
      let right = unsafe Digest128(b.row.identity)
      if left != right { return left < right }
    }
    if a.rank != b.rank { return a.rank < b.rank }
    if a.row.time != b.row.time { return a.row.time < b.row.time }
    return a.row.position < b.row.position
  }

  // MARK: Groups beyond memory

  private static func keyLength(_ order: Order) -> Int {
    let common = 1 + 1 + 8 + 4 + 8
    switch order {
    case .same: return common + 33 + 16
    case .key: return common + 33
    case .hash: return common
    }
  }

  private func makeSorter(_ order: Order) -> RowSorter {
    RowSorter(
      RowSorter.Settings(
        keyLength: Self.keyLength(order), writers: 1, memory: Self.sorterMemory,
        folder: shuffles.folder))
  }

  /// Writes an event into the sorter of an order: key, codes, note, and the row as it is.
  private func put(
    _ event: ReplayEvent, _ bytes: UnsafeRawBufferPointer, _ order: Order, _ sorter: RowSorter
  ) throws(AuditError) {
    row.begin()
    row.put(event.row.kind.rawValue)
    if order != .hash {
      row.put(event.row.keyID)
      row.put(event.row.owner.isDevice ? UInt8(1) : 0)
    }
    if order == .same { unsafe row.put(copying: event.row.identity) }
    row.put(event.rank)
    row.bigTime(event.row.time)
    row.big(event.row.position)
    row.put(event.codes.bits)
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
    _ bytes: UnsafeRawBufferPointer, _ order: Order
  ) -> (ReplayEvent, UnsafeRawBufferPointer) {
    var cursor = unsafe RowCursor(bytes)
    cursor.skip(Self.keyLength(order))
    let codes = CodeSet(bits: cursor.number())
    var note = ReplayNote()
    let code = FindingCode(rawValue: cursor.number())
    let related = cursor.optionalPosition()
    if let code, let related { note.same = (code, related) }
    note.firstOfKey = cursor.optionalPosition()
    note.isAttestedBefore = cursor.number(UInt8.self) != 0
    let length = Int(cursor.number(UInt16.self))
    let row = unsafe cursor.bytes(length)
    return unsafe (ReplayEvent(row: HashRow(row), codes: codes, note: note), row)
  }

  private func settleSpilled(
    _ sorter: RowSorter, _ body: (ReplayEvent) throws(AuditError) -> Void
  ) throws(AuditError) {
    var same = SameTracker(retryTolerance: policy.retryTolerance)
    let byKey = try sorted(sorter, .same, into: .key) { same.take(&$0) }
    var key = KeyTracker()
    let byHash = try sorted(byKey, .key, into: .hash) { key.take(&$0) }
    let rows = try byHash.merged()
    while let bytes = unsafe try rows.next() { try body(unsafe event(bytes, .hash).0) }
  }

  /// Reads one order, lets `note` look at each event, and sorts them into the next order.
  private func sorted(
    _ sorter: RowSorter, _ order: Order, into next: Order, _ note: (inout ReplayEvent) -> Void
  ) throws(AuditError) -> RowSorter {
    let result = makeSorter(next)
    let rows = try sorter.merged()
    while let bytes = unsafe try rows.next() {
      var (event, row) = unsafe event(bytes, order)
      note(&event)
      unsafe try put(event, row, next, result)
    }
    return result
  }
}
