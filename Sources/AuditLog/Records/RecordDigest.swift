/// A number that is equal for records that agree in every mapped field (`detection.R64`, `detection.R65`).
///
/// Anyone can make records of one number. So whoever asks whether two records are equal compares their
/// times, which the server writes, as well.
enum RecordDigest {
  /// Odd numbers without a pattern: the first digits of π and of its continuation.
  private static let seeds: (UInt64, UInt64) = (0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7345)

  /// Returns the number of a record all of whose fields have been decoded into `buffer`, one behind the other.
  @inline(__always)
  static func of(_ record: Record, _ present: FieldSet, _ buffer: borrowing ByteBuffer) -> UInt64 {
    var state = mix(
      UInt64(bitPattern: record.time) ^ seeds.0, UInt64(present.rawValue) ^ seeds.1)
    let words = UInt64(record.kind.rawValue) << 48 | UInt64(record.decision.rawValue) << 40
    state = mix(state ^ words, UInt64(record.serverCounter ?? 0) ^ seeds.1)
    // The place of each text tells apart where one ends and the next begins.
    for text in RequestText.allCases {
      state = state &* 31 &+ UInt64(truncatingIfNeeded: record[text]?.lowerBound ?? 0)
    }
    return unsafe buffer.withHeldBytes { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      var at = 0
      while at + 16 <= bytes.count {
        state = unsafe mix(
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
      return mix(state ^ last.0, last.1 ^ seeds.1)
    }
  }

  /// Returns both halves of the product, folded.
  @inline(__always)
  private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
