/// A writer of CBOR items (RFC 8949), in the form of Apple's devices or in any other form of the
/// same items.
package enum CBORWriter {
  /// The form of an item's length.
  package enum Length: Sendable {
    /// The fewest bytes.
    case shortest
    /// Eight bytes, whatever the length.
    case longest
  }

  /// Returns the head of an item: `major` type and `argument` (RFC 8949, section 3).
  package static func head(_ major: UInt8, _ argument: Int, _ length: Length = .shortest)
    -> [UInt8]
  {
    let type = major << 5
    let value = UInt64(argument)
    if length == .longest { return [type | 27] + bigEndian(value, 8) }
    switch value {
    case ..<24: return [type | UInt8(value)]
    case ..<0x100: return [type | 24] + bigEndian(value, 1)
    case ..<0x1_0000: return [type | 25] + bigEndian(value, 2)
    case ..<0x1_0000_0000: return [type | 26] + bigEndian(value, 4)
    default: return [type | 27] + bigEndian(value, 8)
    }
  }

  /// Returns an integer, negative ones included.
  package static func integer(_ value: Int) -> [UInt8] {
    value >= 0 ? head(0, value) : head(1, -1 - value)
  }

  /// Returns a byte string.
  package static func bytes(_ value: [UInt8], _ length: Length = .shortest) -> [UInt8] {
    head(2, value.count, length) + value
  }

  /// Returns a byte string of indefinite length, in `chunk` bytes each.
  package static func chunkedBytes(_ value: [UInt8], chunk: Int) -> [UInt8] {
    let starts = stride(from: 0, to: value.count, by: max(chunk, 1))
    return [0x5F] + starts.flatMap { bytes(Array(value[$0...].prefix(max(chunk, 1)))) } + [0xFF]
  }

  package static func text(_ value: String, _ length: Length = .shortest) -> [UInt8] {
    head(3, value.utf8.count, length) + Array(value.utf8)
  }

  /// Returns a text string of indefinite length, of ASCII in `chunk` bytes each.
  package static func chunkedText(_ value: String, chunk: Int) -> [UInt8] {
    let starts = stride(from: 0, to: value.count, by: max(chunk, 1))
    return [0x7F] + starts.flatMap { text(String(value.dropFirst($0).prefix(max(chunk, 1)))) }
      + [0xFF]
  }

  /// Returns an array of finished items.
  package static func array(_ items: [[UInt8]]) -> [UInt8] {
    items.reduce(into: head(4, items.count)) { $0 += $1 }
  }

  /// Returns a map of finished items, in the order given.
  package static func map(_ pairs: [(key: [UInt8], value: [UInt8])], _ length: Length = .shortest)
    -> [UInt8]
  {
    pairs.reduce(into: head(5, pairs.count, length)) { $0 += $1.key + $1.value }
  }

  /// Returns a map of indefinite length.
  package static func openMap(_ pairs: [(key: [UInt8], value: [UInt8])]) -> [UInt8] {
    pairs.reduce(into: [0xBF]) { $0 += $1.key + $1.value } + [0xFF]
  }

  /// Returns `value` in `count` bytes, the highest first.
  package static func bigEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
  }
}
