internal import AppAttest
internal import AuditEngine

/// Keys that wait for the commit, in the order in which they came.
final class KeyLog: Sendable {
  private let log: SpillLog

  init(_ folder: StateFolder) {
    log = SpillLog(folder)
  }

  func append(_ key: KeptKey) throws(StateError) {
    let bytes = key.bytes
    var length = VariableBytesWriter()
    length.put(UInt64(bytes.count))
    try log.append(length.bytes)
    try log.append(bytes)
  }

  /// Calls `body` with each key; nothing is appended afterwards.
  func each(_ body: (KeptKey) throws(StateError) -> Void) throws(StateError) {
    var held: [UInt8] = []
    var wanted: Int?
    unsafe try log.forEachPiece { piece throws(StateError) in
      unsafe held.append(contentsOf: piece)
      var used = 0
      while true {
        if wanted == nil {
          var reader = VariableBytesReader(Array(held[used...].prefix(10)))
          let before = reader.left
          guard let length = reader.number(as: Int.self) else { break }
          wanted = length
          used += before - reader.left
        }
        guard let length = wanted, held.count - used >= length else { break }
        guard let key = KeptKey(bytes: Array(held[used..<(used + length)])) else {
          throw Self.damage
        }
        try body(key)
        used += length
        wanted = nil
      }
      held.removeFirst(used)
    }
    guard held.isEmpty, wanted == nil else { throw Self.damage }
  }

  private static var damage: StateError {
    .damaged("a file without a name", "its content is not what was written")
  }
}
