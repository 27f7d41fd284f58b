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

  private struct Item {
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

  private let buffer: UnsafeMutableRawPointer
  private var used = 0
  private var items: [Item] = []
  private var groups: [Group] = []
  private let done = DispatchSemaphore(value: 0)

  init() {
    unsafe buffer = .allocate(byteCount: Self.capacity, alignment: 64)
    items.reserveCapacity(Self.rowLimit)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  /// The number of events held.
  var count: Int { items.count }

  /// Copies an event in; false where there is no room.
  func append(_ row: UnsafeRawBufferPointer, _ key: KeyContext) -> Bool {
    guard items.count < Self.rowLimit, used + row.count <= Self.capacity else { return false }
    unsafe (buffer + used).copyMemory(
      from: row.baseAddress.unsafelyUnwrapped, byteCount: row.count)
    if groups.last?.key !== key { groups.append(Group(key: key, first: items.count)) }
    items.append(Item(offset: Int32(used), length: Int32(row.count), holds: false))
    used += row.count
    return true
  }

  private func row(_ item: Item) -> EventRow {
    unsafe EventRow(
      UnsafeRawBufferPointer(start: buffer + Int(item.offset), count: Int(item.length)))
  }

  /// Calls `body` for each group with the indexes of its events.
  private func forEachGroup<Failure>(
    _ body: (KeyContext, Range<Int>) throws(Failure) -> Void
  ) throws(Failure) {
    for (index, group) in groups.enumerated() {
      let end = index + 1 < groups.count ? groups[index + 1].first : items.count
      try body(group.key, group.first..<end)
    }
  }

  /// Checks every signature whose key is there, and says that it is done.
  func judge(_ verifier: inout P256Verifier) {
    defer { done.signal() }
    forEachGroup { context, range in
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
    try forEachGroup { (key, range) throws(AuditError) in
      try body(key, Events(block: self, range: range))
    }
  }

  /// Some events of one key, with whether their signatures hold.
  struct Events {
    fileprivate let block: SignatureBlock
    fileprivate let range: Range<Int>

    func forEach(
      _ body: (EventRow, Bool) throws(AuditError) -> Void
    ) throws(AuditError) {
      for index in range {
        let item = block.items[index]
        try body(block.row(item), item.holds)
      }
    }
  }

  /// Empties a judged block for another use.
  func removeAll() {
    done.wait()
    items.removeAll(keepingCapacity: true)
    groups.removeAll(keepingCapacity: true)
    used = 0
  }
}
