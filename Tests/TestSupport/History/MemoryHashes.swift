internal import AuditEngine
internal import Synchronization

/// The clientDataHashes of one run of a ``MemoryHistory``.
final class MemoryHashes: HashMemory {
  private struct State {
    /// The index, for each segment, of its first record whose group was not passed.
    var next: [Int]
    var asked: [UInt8] = []
    var remembered: [[UInt8]] = []
  }

  private let segments: [[[UInt8]]]
  private let isAdvance: Bool
  private let state: Mutex<State>

  /// Makes the memory. `segments` are the records of each run, in ascending order of their groups.
  init(_ segments: [[[UInt8]]], isAdvance: Bool) {
    self.segments = segments
    self.isAdvance = isAdvance
    state = Mutex(State(next: segments.map { _ in 0 }))
  }

  var remembered: [[UInt8]] { state.withLock { $0.remembered } }

  func forEach(
    _ group: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(AuditError) -> Void
  ) throws(AuditError) {
    let group = unsafe Array(group)
    guard group.count == KeptRecord.groupLength else {
      throw AuditError.misuse("a group of \(group.count) bytes is asked for")
    }
    let found: [[UInt8]]? = state.withLock { state in
      guard state.asked.lexicographicallyPrecedes(group) else { return nil }
      state.asked = group
      return segments.indices.flatMap { find(group, in: $0, &state) }
    }
    guard let found else {
      throw AuditError.misuse("groups are not asked for in ascending order, each once")
    }
    for record in found { unsafe try record.withBytes(body) }
  }

  private func find(_ group: [UInt8], in segment: Int, _ state: inout State) -> [[UInt8]] {
    let records = segments[segment]
    var at = state.next[segment]
    while at < records.count, records[at].group.lexicographicallyPrecedes(group) { at += 1 }
    var found: [[UInt8]] = []
    while at < records.count, records[at].group.elementsEqual(group) {
      found.append(records[at])
      at += 1
    }
    state.next[segment] = at
    return found
  }

  func remember(_ record: UnsafeRawBufferPointer) throws(AuditError) {
    guard isAdvance else { throw AuditError.misuse("a record is remembered without advance") }
    let record = unsafe Array(record)
    guard record.count == KeptRecord.byteCount else {
      throw AuditError.misuse("a record of \(record.count) bytes is remembered")
    }
    let isInOrder = state.withLock { state in
      defer { state.remembered.append(record) }
      return state.remembered.last.map { !record.group.lexicographicallyPrecedes($0.group) } ?? true
    }
    guard isInOrder else {
      throw AuditError.misuse("records are not remembered in ascending order of groups")
    }
  }
}

extension [UInt8] {
  fileprivate var group: ArraySlice<UInt8> { prefix(KeptRecord.groupLength) }

  /// Calls `body` with the bytes.
  fileprivate func withBytes(
    _ body: (UnsafeRawBufferPointer) throws(AuditError) -> Void
  ) throws(AuditError) {
    try unsafe span.withUnsafeBytes { (bytes) throws(AuditError) in unsafe try body(bytes) }
  }
}
