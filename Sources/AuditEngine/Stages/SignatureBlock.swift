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
    var offset: Int
    var length: Int
    var key: KeyContext
    var holds: Bool
  }

  private let buffer: UnsafeMutableRawPointer
  private var used = 0
  private var items: [Item] = []
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
    items.append(Item(offset: used, length: row.count, key: key, holds: false))
    used += row.count
    return true
  }

  private func row(_ item: Item) -> EventRow {
    unsafe EventRow(UnsafeRawBufferPointer(start: buffer + item.offset, count: item.length))
  }

  /// Checks every signature whose key is there, and says that it is done.
  func judge(_ verifier: inout P256Verifier) {
    defer { done.signal() }
    for index in items.indices {
      let row = row(items[index])
      guard row.hasSignature, !row.flags.contains(.badSignatureEncoding),
        let key = items[index].key.publicKey()
      else { continue }
      let (digest, signature) = unsafe row.signed
      items[index].holds = unsafe verifier.verify(
        digest: Span(_unsafeBytes: digest), signatureDER: Span(_unsafeBytes: signature), key: key)
    }
  }

  /// Waits until the block is judged and calls `body` for each event in order, with whether its
  /// signature held.
  func withEach(
    _ body: (EventRow, KeyContext, Bool) throws(AuditError) -> Void
  ) throws(AuditError) {
    done.wait()
    defer { done.signal() }
    for item in items { try body(row(item), item.key, item.holds) }
  }

  /// Empties a judged block for another use.
  func removeAll() {
    done.wait()
    items.removeAll(keepingCapacity: true)
    used = 0
  }
}
