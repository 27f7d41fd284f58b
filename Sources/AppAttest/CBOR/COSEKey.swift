internal import OpenSSL

/// The public key in attested credential data (RFC 9052, section 7; RFC 9053, 7.1.1).
package enum COSEKey {
  /// Returns the point of a key that is all of `bytes`, perhaps without algorithm, or nil.
  package static func point(_ bytes: Span<UInt8>) -> [UInt8]? {
    var reader = CBORReader()
    guard let point = try? read(&reader, bytes, needsAlgorithm: false), reader.offset == bytes.count
    else { return nil }
    return point
  }

  /// Reads one CBOR map. Returns the X9.62 uncompressed point (65 bytes, perhaps not on the curve)
  /// of an EC2 key on P-256 for ES256, or nil for another key. Short coordinates are padded.
  static func read(
    _ reader: inout CBORReader, _ bytes: Span<UInt8>, needsAlgorithm: Bool = true
  ) throws(CBORError) -> [UInt8]? {
    var end = reader
    try end.skip(bytes, checked: true)
    var isKind = false
    var isAlgorithm = !needsAlgorithm
    var isCurve = false
    var x: CBORString?
    var y: CBORString?
    var entries = try reader.enterMap(bytes)
    while try reader.next(&entries, bytes) {
      guard let major = reader.peekMajor(bytes), major <= 1 else {
        try reader.skip(bytes, checked: false)
        try reader.skip(bytes, checked: false)
        continue
      }
      let key = try reader.readHead(bytes)
      switch (key.major, key.argument) {
      case (0, 1): isKind = try readsInteger(&reader, bytes, major: 0, 2)
      case (0, 3): isAlgorithm = try readsInteger(&reader, bytes, major: 1, 6)
      case (1, 0): isCurve = try readsInteger(&reader, bytes, major: 0, 1)
      case (1, 1): x = try readBytes(&reader, bytes)
      case (1, 2): y = try readBytes(&reader, bytes)
      default: try reader.skip(bytes, checked: false)
      }
    }
    reader = end
    guard isKind, isAlgorithm, isCurve, let x, let y else { return nil }
    var point = [UInt8](repeating: 0, count: 65)
    point[0] = 4
    guard put(x, bytes, in: &point, before: 33), put(y, bytes, in: &point, before: 65) else {
      return nil
    }
    return point
  }

  /// Puts a coordinate into a point that has zeros in its place. Returns false if it has more than 32 bytes.
  private static func put(
    _ coordinate: CBORString, _ bytes: Span<UInt8>, in point: inout [UInt8], before end: Int
  ) -> Bool {
    coordinate.withSpan(in: bytes) { content in
      guard content.count <= 32 else { return false }
      for index in content.indices { point[end - content.count + index] = content[index] }
      return true
    }
  }

  /// Passes over a value. Returns whether it is that integer: 0 and n for n, 1 and n for -1 - n.
  private static func readsInteger(
    _ reader: inout CBORReader, _ bytes: Span<UInt8>, major: UInt8, _ argument: UInt64
  ) throws(CBORError) -> Bool {
    guard reader.peekMajor(bytes) == major else {
      try reader.skip(bytes, checked: false)
      return false
    }
    return try reader.readHead(bytes).argument == argument
  }

  private static func readBytes(
    _ reader: inout CBORReader, _ bytes: Span<UInt8>
  ) throws(CBORError) -> CBORString? {
    guard reader.peekMajor(bytes) == 2 else {
      try reader.skip(bytes, checked: false)
      return nil
    }
    return try reader.readString(major: 2, bytes)
  }
}
