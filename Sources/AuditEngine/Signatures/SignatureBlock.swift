internal import Basics
internal import CLinux
internal import Dispatch

/// Some events in a row whose signatures one worker checks. The merging thread fills it, one worker
/// judges it, and after `done` the reducer reads it. Rows that stay where they are for as long are not copied.
@safe final class SignatureBlock: @unchecked Sendable {
  @safe fileprivate struct Item {
    let start: UnsafeRawPointer
    let length: Int32
    var holds = false

    var row: EventRow {
      unsafe EventRow(UnsafeRawBufferPointer(start: start, count: Int(length)))
    }

    /// Asks for the cache lines of the row, which is read soon.
    func fetch() {
      for line in 0..<4 { unsafe attest_prefetch(start + 64 * line) }
    }
  }

  private struct Group {
    var key: KeyContext
    var first: Int
  }

  private let capacity: Int
  private let rowLimit: Int
  private let buffer: UnsafeMutableRawPointer
  /// Bytes of the buffer that are filled.
  private var used = 0
  private var items: [Item] = []
  private var groups: [Group] = []
  private var failure: AuditError?
  private let done = DispatchSemaphore(value: 0)

  /// Makes room for `capacity` bytes of rows, and for at most `rowLimit` of them.
  init(capacity: Int, rowLimit: Int) {
    self.capacity = capacity
    self.rowLimit = rowLimit
    unsafe buffer = .allocate(byteCount: capacity, alignment: 64)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  var count: Int { items.count }

  /// Adds an event, whose row is copied unless it `stays`. Returns false if there is no room.
  func append(_ row: UnsafeRawBufferPointer, _ key: KeyContext, stays: Bool) -> Bool {
    guard items.count < rowLimit, stays || used + row.count <= capacity else {
      return false
    }
    var start = unsafe row.baseAddress.unsafelyUnwrapped
    if !stays {
      let copy = unsafe buffer + used
      unsafe copy.copyMemory(from: start, byteCount: row.count)
      unsafe start = UnsafeRawPointer(copy)
      used += row.count
    }
    if groups.last?.key !== key { groups.append(Group(key: key, first: items.count)) }
    unsafe items.append(Item(start: start, length: Int32(row.count)))
    return true
  }

  /// Calls `body` for each group with the indexes of its events.
  private func forEachGroup<Failure>(
    count: Int, _ body: (KeyContext, Range<Int>) throws(Failure) -> Void
  ) throws(Failure) {
    let groups = groups
    for (index, group) in groups.enumerated() {
      let end = index + 1 < groups.count ? groups[index + 1].first : count
      try body(group.key, group.first..<end)
    }
  }

  /// Checks every signature whose key is known, and signals that it is done. A failure stops the
  /// run, and whoever waits for the block is told of it: it never looks as if it had been judged.
  func judge(_ judge: SignatureJudge, _ run: Cancellation<AuditError>) {
    defer { done.signal() }
    do throws(AuditError) {
      try run.check()
      try check(judge)
    } catch {
      failure = error
      run.stop(error)
    }
  }

  private func check(_ judge: SignatureJudge) throws(AuditError) {
    var items = items
    self.items = []
    defer { self.items = items }
    var judged: [Int] = []
    var next = 0
    try judge.judge { batch in
      forEachGroup(count: items.count) { key, range in
        guard batch.add(key) else { return }
        for index in range {
          let row = items[index].row
          guard row.flags.contains(.signed) else { continue }
          unsafe batch.add(row.signed)
          judged.append(index)
        }
      }
    } _: { holds in
      items[judged[next]].holds = holds
      next += 1
    }
  }

  /// Waits until the block is judged and calls `body` for the events of each key, in order.
  func withEach(
    _ body: (KeyContext, Events) throws(AuditError) -> Void
  ) throws(AuditError) {
    done.wait()
    defer { done.signal() }
    if let failure { throw failure }
    let items = items
    try forEachGroup(count: items.count) { (key, range) throws(AuditError) in
      try body(key, Events(items: items, range: range))
    }
  }

  /// Some events of one key, with whether their signatures hold.
  struct Events {
    fileprivate let items: [Item]
    fileprivate let range: Range<Int>
    /// The number of events between one that is told of and one that is judged.
    private static let lead = 4

    /// Calls `body` for each event, and before that `ahead` with an event some places behind it.
    func each(
      ahead: (EventRow) -> Void, _ body: (EventRow, Bool) throws(AuditError) -> Void
    ) throws(AuditError) {
      for index in range {
        // Rows that stay are far from the processor by now.
        if index + 2 * Self.lead < items.count { items[index + 2 * Self.lead].fetch() }
        if index + Self.lead < items.count { ahead(items[index + Self.lead].row) }
        try body(items[index].row, items[index].holds)
      }
    }
  }

  /// Empties a judged block for another use.
  func removeAll() {
    done.wait()
    items.removeAll(keepingCapacity: true)
    groups.removeAll(keepingCapacity: true)
    used = 0
    failure = nil
  }
}
