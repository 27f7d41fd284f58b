/// Numbers in as few bytes as they need: seven bits a byte, the lowest first, the highest bit set
/// in all but the last (LEB128).
struct VariableBytesWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ number: UInt64) {
    var rest = number
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// A number with a sign, small ones of either sign in few bytes.
  mutating func put(signed number: Int64) {
    put(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  /// Bytes behind their number.
  mutating func put(_ more: [UInt8]) {
    put(UInt64(more.count))
    bytes += more
  }

  mutating func put(_ text: String) { put(Array(text.utf8)) }
}

/// Reads what a ``VariableBytesWriter`` wrote; nil for what it cannot have written.
struct VariableBytesReader {
  private let bytes: [UInt8]
  private var at = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { at == bytes.count }
  /// Bytes not read yet.
  var left: Int { bytes.count - at }

  mutating func number() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard at < bytes.count else { return nil }
      let byte = bytes[at]
      at += 1
      // The tenth byte has room for one bit.
      if shift == 63, byte > 1 { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  mutating func number<Number: FixedWidthInteger>(as type: Number.Type) -> Number? {
    number().flatMap(Number.init(exactly:))
  }

  mutating func signed() -> Int64? {
    number().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }

  mutating func block() -> [UInt8]? {
    guard let count = number(as: Int.self), count <= left else { return nil }
    defer { at += count }
    return Array(bytes[at..<(at + count)])
  }

  mutating func text() -> String? { block().map { String(decoding: $0, as: UTF8.self) } }
}
