/// The head of a CBOR item (RFC 8949, section 3).
package struct CBORHead: Equatable {
  /// 0 unsigned, 1 negative, 2 bytes, 3 text, 4 array, 5 map, 6 tag, 7 simple or float.
  package var major: UInt8
  /// The five lower bits of the first byte.
  package var information: UInt8
  /// The value, length, count, tag number, simple value or bits of the float.
  package var argument: UInt64

  /// Whether the length or count is indefinite. For major type 7 it is the break.
  package var isIndefinite: Bool { information == 31 }
}

extension CBORReader {
  /// Reads a head. Throws for reserved forms and misplaced indefinite lengths.
  package mutating func readHead(_ bytes: Span<UInt8>) throws(CBORError) -> CBORHead {
    guard offset < bytes.count else { throw .truncated }
    let first = bytes[offset]
    offset += 1
    let major = first >> 5
    let information = first & 31
    var argument = UInt64(information)
    switch information {
    case 0...23: break
    case 24...27:
      let size = 1 << Int(information - 24)
      guard size <= bytes.count - offset else { throw .truncated }
      argument = 0
      for index in 0..<size { argument = argument << 8 | UInt64(bytes[offset + index]) }
      offset += size
      if major == 7, information == 24, argument < 32 { throw .badSimpleValue }
    case 31:
      guard major >= 2, major != 6 else { throw .reservedLength }
      argument = 0
    default: throw .reservedLength
    }
    return CBORHead(major: major, information: information, argument: argument)
  }
}
