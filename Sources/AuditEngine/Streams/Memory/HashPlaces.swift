internal import AppAttest
internal import Synchronization

/// The places of a stage's clientDataHashes for an engine that counts them (``RowForm/places``).
/// Layout: the kind, 1 byte; the first byte of places, 1; and of each the other ``tailBytes``,
/// big-endian, ascending.
final class HashPlaces: Sendable {
  enum Kind: UInt8 {
    /// Places each of which is that of one record's hash.
    case seen
    /// Places of several records of the run. All other hashes are of one record.
    case repeated
  }

  /// The number of bytes of a place. The first of them comes before all places of a row.
  static let placeBytes = 6
  static let tailBytes = placeBytes - 1
  static let headBytes = 2
  /// The number of places that are held back, so that rows are long.
  static let heldCount = 1 << 17

  private let output: FrameWriter
  private let held = Mutex<[UInt64]>([])

  init(_ output: FrameWriter) {
    self.output = output
  }

  /// Adds the hash of a record. From any thread.
  func add(_ hash: Span<UInt8>) throws(AuditError) {
    let place = unsafe hash.withUnsafeBytes { unsafe RepeatedHashes.place($0) }
    try held.withLock { (held) throws(AuditError) in
      if held.isEmpty { held.reserveCapacity(Self.heldCount) }
      held.append(place)
      if held.count == Self.heldCount { try write(&held) }
    }
  }

  func flush() throws(AuditError) {
    try held.withLock { (held) throws(AuditError) in try write(&held) }
  }

  private func write(_ held: inout [UInt64]) throws(AuditError) {
    held.sort()
    var start = 0
    while start < held.count {
      let first = UInt8(truncatingIfNeeded: held[start] >> (8 * UInt64(Self.tailBytes)))
      var row = [RowForm.places.rawValue, Kind.seen.rawValue, first]
      while start < held.count,
        held[start] >> (8 * UInt64(Self.tailBytes)) == UInt64(first)
      {
        for byte in (0..<Self.tailBytes).reversed() {
          row.append(UInt8(truncatingIfNeeded: held[start] >> (8 * UInt64(byte))))
        }
        start += 1
      }
      try output.add(row)
    }
    held.removeAll(keepingCapacity: true)
  }
}

extension StageInput {
  /// Takes the places of repeated hashes, and returns these in `bytes` of memory, or nil.
  func repeatedHashes(bytes: Int) throws(AuditError) -> RepeatedHashes? {
    guard try nextForm() == .places else { return nil }
    let hashes = RepeatedHashes(bytes: bytes)
    unsafe try forEach(.places) { (row) throws(AuditError) in
      guard row.count >= HashPlaces.headBytes,
        unsafe row[0] == HashPlaces.Kind.repeated.rawValue,
        (row.count - HashPlaces.headBytes).isMultiple(of: HashPlaces.tailBytes)
      else { throw FrameReader.broken("the places of hashes are not as they should be") }
      let first = unsafe UInt64(row[1])
      for start in stride(
        from: HashPlaces.headBytes, to: row.count, by: HashPlaces.tailBytes)
      {
        let tail = unsafe row[start..<(start + HashPlaces.tailBytes)]
        hashes?.add(repeated: unsafe tail.reduce(first) { $0 << 8 | UInt64($1) })
      }
    }
    return hashes
  }
}
