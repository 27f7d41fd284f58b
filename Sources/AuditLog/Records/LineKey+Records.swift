extension LineKey {
  /// Returns a number that is equal for records that agree in every mapped field (`detection.R64`, `detection.R65`), all
  /// of whose fields have been decoded into `buffer`, one behind the other. Whoever does not know the key cannot make
  /// different records of one number.
  @inline(__always)
  func digest(_ record: Record, _ present: FieldSet, _ buffer: borrowing ByteBuffer) -> UInt64 {
    let seeds = halves
    var state = Self.mix(
      UInt64(bitPattern: record.time) ^ seeds.0, UInt64(present.rawValue) ^ seeds.1)
    // With the time it is the duration.
    state = Self.mix(state ^ UInt64(bitPattern: record.statedTime), seeds.1)
    let words = UInt64(record.kind.rawValue) << 48 | UInt64(record.decision.rawValue) << 40
    state = Self.mix(state ^ words, UInt64(record.serverCounter ?? 0) ^ seeds.1)
    // The place of each text tells apart where one ends and the next begins.
    for text in RequestText.allCases {
      state = Self.mix(
        state ^ UInt64(truncatingIfNeeded: record[text]?.lowerBound ?? 0), seeds.1)
    }
    return unsafe buffer.withHeldBytes { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      var at = 0
      while at + 16 <= bytes.count {
        state = unsafe Self.mix(
          state ^ bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self),
          bytes.loadUnaligned(fromByteOffset: at + 8, as: UInt64.self) ^ seeds.1)
        at += 16
      }
      var last: (UInt64, UInt64) = (0, UInt64(bytes.count))
      while at < bytes.count {
        last.0 = last.0 << 8 | last.1 >> 56
        last.1 = unsafe last.1 << 8 ^ UInt64(bytes[at])
        at += 1
      }
      return Self.mix(state ^ last.0, last.1 ^ seeds.1)
    }
  }

  @inline(__always)
  private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
