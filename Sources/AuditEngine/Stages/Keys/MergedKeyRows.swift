internal import AppAttest
internal import Basics
internal import Glibc
internal import RowShuffle

/// The rows that earlier runs kept, in order, without those of keys that nobody asks for.
@safe struct KeptRowReader {
  private let rows: RowMerger
  /// The key of the row before, without its position.
  private var previous = [UInt8](repeating: 0, count: EventRow.Offset.position)
  /// The row that is next, valid until `advance`, or nil at the end.
  private(set) var next: UnsafeRawBufferPointer?

  /// Merges the runs, which are sorted by the order of their sources; the first row is next.
  init(_ runs: [any RowRunSource], _ order: SourceOrder) throws(AuditError) {
    rows = unsafe try RowMerger(
      runs, keyLength: EventRow.keyLength,
      order: RowOrder { unsafe EventRow.compare($0, $1, order) < 0 })
    try advance()
  }

  /// Passes the next row, or throws `.inconsistent` where the one behind is none or comes too late.
  mutating func advance() throws(AuditError) {
    unsafe next = try rows.next()
    guard let row = unsafe next else { return }
    guard row.count >= EventRow.fixedLength, row.count <= RowRun.maximumRowBytes else {
      throw AuditError(.inconsistent, "a kept row has \(row.count) bytes")
    }
    let isInOrder = unsafe previous.withUnsafeMutableBytes { previous in
      let (from, to) = unsafe (
        row.baseAddress.unsafelyUnwrapped, previous.baseAddress.unsafelyUnwrapped
      )
      guard unsafe memcmp(to, from, EventRow.Offset.position) <= 0 else { return false }
      unsafe to.copyMemory(from: from, byteCount: EventRow.Offset.position)
      return true
    }
    guard isInOrder else { throw AuditError(.inconsistent, "kept rows are not in their order") }
  }
}

/// The events of a run by key, and in their places those that earlier runs kept of the same keys.
@safe struct MergedKeyRows {
  private let rows: RangedRows
  private let order: SourceOrder
  private var kept: KeptRowReader?
  /// The first row of this run that was not given yet, or nil at the end.
  private var live: UnsafeRawBufferPointer?
  private var isLiveTaken = true
  private var key: Digest256?
  /// Whether the row given last is a kept one.
  private(set) var isKept = false
  /// The keys of lists, sorted: their kept events are given although this run has no row of them.
  private let wanted: [Digest256]

  /// Merges the rows of this run with the `kept` runs of rows of earlier ones.
  init(
    _ rows: RangedRows, kept: [any RowRunSource], _ order: SourceOrder = SourceOrder(),
    wanted: [Digest256] = []
  ) throws(AuditError) {
    self.rows = rows
    self.order = order
    self.wanted = wanted
    if !kept.isEmpty { self.kept = try KeptRowReader(kept, order) }
  }

  /// Whether the row given last stays where it is until the shuffle is released.
  var stays: Bool { !isKept && rows.stays }

  /// Returns the next row, valid until the next call, or nil at the end.
  mutating func next() throws(AuditError) -> UnsafeRawBufferPointer? {
    guard kept != nil else { return unsafe try rows.next() }
    if isKept {
      isKept = false
      try kept?.advance()
    }
    if isLiveTaken {
      unsafe live = try rows.next()
      isLiveTaken = false
    }
    while let row = unsafe kept?.next {
      if let live = unsafe live {
        let difference = unsafe EventRow.compare(
          row.baseAddress.unsafelyUnwrapped, live.baseAddress.unsafelyUnwrapped, order)
        if difference > 0 { break }
      }
      let keyID = unsafe Digest256(copying: row.baseAddress.unsafelyUnwrapped)
      if isAsked(keyID) || isWanted(keyID) {
        key = keyID
        isKept = true
        return unsafe row
      }
      if unsafe live == nil, wanted.isEmpty {
        // Nothing that is left belongs to a key of this run.
        kept = nil
        break
      }
      try kept?.advance()
    }
    isLiveTaken = true
    if let live = unsafe live {
      key = unsafe Digest256(copying: live.baseAddress.unsafelyUnwrapped)
    }
    return unsafe live
  }

  private func isAsked(_ keyID: Digest256) -> Bool {
    if key == keyID { return true }
    guard let live = unsafe live else { return false }
    return unsafe Digest256(copying: live.baseAddress.unsafelyUnwrapped) == keyID
  }

  private func isWanted(_ keyID: Digest256) -> Bool {
    guard !wanted.isEmpty else { return false }
    let index = wanted.indices.searched { wanted[$0] < keyID }
    return index < wanted.count && wanted[index] == keyID
  }
}
