internal import AppAttest
internal import AuditEngine

/// Keys that wait for the commit, in the order in which they came.
final class KeyLog: Sendable {
  private let log: SpillLog

  init(_ folder: StateFolder) {
    log = SpillLog(folder)
  }

  func append(_ key: KeptKey) throws(StateError) {
    let bytes = key.packed
    let length = unsafe withUnsafeBytes(of: UInt32(bytes.count)) { unsafe Array($0) }
    try log.append(length + bytes)
  }

  /// Calls `body` with each key; nothing is appended afterwards.
  func each(_ body: (KeptKey) throws(StateError) -> Void) throws(StateError) {
    var rows = RowPieces()
    unsafe try log.forEachPiece { piece throws(StateError) in
      unsafe rows.add(piece)
      while let row = rows.next() {
        guard let key = KeptKey(packed: Array(row)) else { throw SpillLog.damage }
        try body(key)
      }
    }
    guard rows.isAtEnd else { throw SpillLog.damage }
  }
}

/// Rows after their lengths of 4 bytes, out of pieces that are cut anywhere.
struct RowPieces {
  private var held: [UInt8] = []
  private var used = 0

  /// Whether no part of a row is left.
  var isAtEnd: Bool { used == held.count }
  /// The length of the next row, or nil if it is not known yet.
  var nextLength: Int? {
    guard held.count - used >= 4 else { return nil }
    return unsafe held[used..<(used + 4)].withUnsafeBytes {
      unsafe Int($0.loadUnaligned(as: UInt32.self))
    }
  }

  mutating func add(_ piece: UnsafeRawBufferPointer) {
    held.removeFirst(used)
    used = 0
    unsafe held.append(contentsOf: piece)
  }

  /// Returns the next row, or nil if it is not complete.
  mutating func next() -> ArraySlice<UInt8>? {
    guard let length = nextLength, held.count - used - 4 >= length else { return nil }
    used += 4 + length
    return held[(used - length)..<used]
  }
}
