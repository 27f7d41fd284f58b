internal import Dispatch
internal import OpenSSL

/// Some events in a row, of one key or of many, whose signatures one worker checks.
///
/// The merging thread fills it, one worker judges it, the reducer reads it; `done` stands between
/// the last two.
@safe final class SignatureBlock: @unchecked Sendable {
  /// Room for rows, in bytes.
  static let capacity = 1 << 18
  /// The most events of a block: enough to be worth a Dispatch job, few enough to keep every
  /// worker busy.
  static let rowLimit = 256

  fileprivate struct Item {
    var offset: Int32
    var length: Int32
    var holds: Bool
  }

  /// Events of one key in a row.
  private struct Group {
    var key: KeyContext
    /// The index of the first.
    var first: Int
  }

  private struct Content {
    /// Bytes of the buffer that are filled.
    var used = 0
    var items: [Item] = []
    var groups: [Group] = []

    mutating func append(_ length: Int, _ key: KeyContext) {
      if groups.last?.key !== key { groups.append(Group(key: key, first: items.count)) }
      items.append(Item(offset: Int32(used), length: Int32(length), holds: false))
      used += length
    }
  }

  private let buffer: UnsafeMutableRawPointer
  private var content = Content()
  private let done = DispatchSemaphore(value: 0)

  init() {
    unsafe buffer = .allocate(byteCount: Self.capacity, alignment: 64)
    content.items.reserveCapacity(Self.rowLimit)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  /// The number of events held.
  var count: Int { content.items.count }

  /// Copies an event in; false where there is no room.
  func append(_ row: UnsafeRawBufferPointer, _ key: KeyContext) -> Bool {
    let (count, used) = (content.items.count, content.used)
    guard count < Self.rowLimit, used + row.count <= Self.capacity else { return false }
    unsafe (buffer + used).copyMemory(
      from: row.baseAddress.unsafelyUnwrapped, byteCount: row.count)
    content.append(row.count, key)
    return true
  }

  private func row(_ item: Item) -> EventRow {
    unsafe EventRow(
      UnsafeRawBufferPointer(start: buffer + Int(item.offset), count: Int(item.length)))
  }

  /// Calls `body` for each group with the indexes of its events.
  private func forEachGroup<Failure>(
    count: Int, _ body: (KeyContext, Range<Int>) throws(Failure) -> Void
  ) throws(Failure) {
    let groups = content.groups
    for (index, group) in groups.enumerated() {
      let end = index + 1 < groups.count ? groups[index + 1].first : count
      try body(group.key, group.first..<end)
    }
  }

  /// Checks every signature whose key is there, and says that it is done.
  func judge(_ verifier: inout P256Verifier) {
    defer { done.signal() }
    var items = content.items
    content.items = []
    defer { content.items = items }
    forEachGroup(count: items.count) { context, range in
      guard let key = context.publicKey() else { return }
      for index in range {
        let row = row(items[index])
        guard row.flags.contains(.signed) else { continue }
        items[index].holds = unsafe verifier.verify(signed: row.signed, key: key)
      }
    }
  }

  /// Waits until the block is judged and calls `body` for the events of each key, in order.
  func withEach(
    _ body: (KeyContext, Events) throws(AuditError) -> Void
  ) throws(AuditError) {
    done.wait()
    defer { done.signal() }
    let items = content.items
    try forEachGroup(count: items.count) { (key, range) throws(AuditError) in
      try body(key, Events(block: self, items: items[range]))
    }
  }

  /// Some events of one key, with whether their signatures hold.
  struct Events {
    fileprivate let block: SignatureBlock
    fileprivate let items: ArraySlice<Item>

    func each(
      _ body: (EventRow, Bool) throws(AuditError) -> Void
    ) throws(AuditError) {
      for item in items { try body(block.row(item), item.holds) }
    }
  }

  /// Empties a judged block for another use.
  func removeAll() {
    done.wait()
    content.items.removeAll(keepingCapacity: true)
    content.groups.removeAll(keepingCapacity: true)
    content.used = 0
  }
}
