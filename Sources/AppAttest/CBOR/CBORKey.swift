/// The canonical form of a CBOR value, for comparing keys by their bytes (RFC 8949, 5.6.1).
enum CBORKey {
  /// Appends the canonical form of a valid item: shortest heads, whole strings, doubles, sorted entries.
  static func appendCanonical(
    _ reader: inout CBORReader, _ bytes: Span<UInt8>, to output: inout [UInt8]
  ) throws(CBORError) {
    let head = try reader.readHead(bytes)
    switch head.major {
    case 0, 1: append(head.major, head.argument, to: &output)
    case 2, 3:
      let content = try reader.readString(after: head, bytes, checked: false).copy(from: bytes)
      append(head.major, UInt64(content.count), to: &output)
      output += content
    case 4:
      var entries = try CBORCount(head, itemsEach: 1, remaining: bytes.count - reader.offset)
      var items: [UInt8] = []
      var count: UInt64 = 0
      while try reader.next(&entries, bytes) {
        try appendCanonical(&reader, bytes, to: &items)
        count += 1
      }
      append(4, count, to: &output)
      output += items
    case 5:
      var entries = try CBORCount(head, itemsEach: 2, remaining: bytes.count - reader.offset)
      var pairs: [[UInt8]] = []
      while try reader.next(&entries, bytes) {
        var pair: [UInt8] = []
        try appendCanonical(&reader, bytes, to: &pair)
        try appendCanonical(&reader, bytes, to: &pair)
        pairs.append(pair)
      }
      pairs.sort { $0.lexicographicallyPrecedes($1) }
      append(5, UInt64(pairs.count), to: &output)
      for pair in pairs { output += pair }
    case 6:
      try appendTagged(head.argument, &reader, bytes, to: &output)
    default:
      appendSimple(head, to: &output)
    }
  }

  /// Reads a bignum that an integer could hold as that integer (RFC 8949, 3.4.3).
  private static func appendTagged(
    _ tag: UInt64, _ reader: inout CBORReader, _ bytes: Span<UInt8>, to output: inout [UInt8]
  ) throws(CBORError) {
    guard tag == 2 || tag == 3, reader.peekMajor(bytes) == 2 else {
      append(6, tag, to: &output)
      try appendCanonical(&reader, bytes, to: &output)
      return
    }
    let content = try reader.readString(major: 2, bytes).copy(from: bytes)
    let digits = content.drop { $0 == 0 }
    if digits.count <= 8 {
      append(UInt8(tag - 2), digits.reduce(0) { $0 << 8 | UInt64($1) }, to: &output)
    } else {
      append(6, tag, to: &output)
      append(2, UInt64(digits.count), to: &output)
      output += digits
    }
  }

  private static func appendSimple(_ head: CBORHead, to output: inout [UInt8]) {
    let bits: UInt64
    switch head.information {
    case 25: bits = widen(head.argument, exponentBits: 5, fractionBits: 10)
    case 26: bits = widen(head.argument, exponentBits: 8, fractionBits: 23)
    case 27: bits = head.argument
    default:
      append(7, head.argument, to: &output)
      return
    }
    output.append(0xFB)
    for shift in stride(from: 56, through: 0, by: -8) {
      output.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
  }

  /// Returns the bits of the double that equals a shorter IEEE 754 float. A NaN keeps its payload.
  private static func widen(_ bits: UInt64, exponentBits: Int, fractionBits: Int) -> UInt64 {
    let sign = (bits >> UInt64(exponentBits + fractionBits)) << 63
    let limit = (UInt64(1) << UInt64(exponentBits)) - 1
    let bias = Int(limit >> 1)
    var exponent = Int((bits >> UInt64(fractionBits)) & limit)
    let fractionMask = (UInt64(1) << UInt64(fractionBits)) - 1
    var fraction = bits & fractionMask
    if exponent == Int(limit) {
      return sign | (0x7FF << 52) | (fraction << UInt64(52 - fractionBits))
    }
    if exponent == 0 {
      guard fraction != 0 else { return sign }
      exponent = 1
      while fraction >> UInt64(fractionBits) == 0 {
        fraction <<= 1
        exponent -= 1
      }
      fraction &= fractionMask
    }
    return sign | (UInt64(exponent - bias + 1023) << 52) | (fraction << UInt64(52 - fractionBits))
  }

  private static func append(_ major: UInt8, _ argument: UInt64, to output: inout [UInt8]) {
    let size: Int
    switch argument {
    case 0..<24:
      output.append(major << 5 | UInt8(argument))
      return
    case 24...0xFF: size = 1
    case 0x100...0xFFFF: size = 2
    case 0x1_0000...0xFFFF_FFFF: size = 4
    default: size = 8
    }
    output.append(major << 5 | UInt8(24 + size.trailingZeroBitCount))
    for shift in stride(from: (size - 1) * 8, through: 0, by: -8) {
      output.append(UInt8(truncatingIfNeeded: argument >> UInt64(shift)))
    }
  }
}
