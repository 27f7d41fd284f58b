/// A strict reader of all that RFC 8949 allows as CBOR. Keys that occur twice in a map (by value,
/// at any level), text that is not UTF-8 and nesting beyond 16 are refused. It is a position only.
/// No length is trusted before that many bytes are there.
package struct CBORReader {
  /// The greatest depth of nested arrays, maps and tags. The outermost has depth 1.
  package static let nestingLimit = 16

  package var offset: Int

  package init(at offset: Int = 0) {
    self.offset = offset
  }

  /// Checks that `bytes` are one item, valid to the innermost, with nothing left over.
  package static func checkOneItem(_ bytes: Span<UInt8>) throws(CBORError) {
    var reader = CBORReader()
    try reader.skip(bytes, checked: true)
    guard reader.offset == bytes.count else { throw .leftOver }
  }

  /// Passes over one item, at its own `depth`, if it nests. Unless `checked`, it need only be
  /// well-formed: keys may occur twice, and text may not be UTF-8.
  package mutating func skip(
    _ bytes: Span<UInt8>, checked: Bool, depth: Int = 1
  ) throws(CBORError) {
    let head = try readHead(bytes)
    switch head.major {
    case 0, 1: return
    case 2, 3: _ = try readString(after: head, bytes, checked: checked)
    case 4:
      guard depth <= Self.nestingLimit else { throw .tooDeep }
      var entries = try CBORCount(head, itemsEach: 1, remaining: bytes.count - offset)
      while try next(&entries, bytes) {
        try skip(bytes, checked: checked, depth: depth + 1)
      }
    case 5:
      guard depth <= Self.nestingLimit else { throw .tooDeep }
      try skipMap(after: head, bytes, checked: checked, depth: depth)
    case 6:
      guard depth <= Self.nestingLimit else { throw .tooDeep }
      try skip(bytes, checked: checked, depth: depth + 1)
    default:
      guard !head.isIndefinite else { throw .unexpectedBreak }
    }
  }

  package mutating func skipTags(_ bytes: Span<UInt8>) throws(CBORError) {
    while peekMajor(bytes) == 6 { _ = try readHead(bytes) }
  }

  /// Reads the head of a map, for `next(_:_:)` to count its entries.
  package mutating func enterMap(_ bytes: Span<UInt8>) throws(CBORError) -> CBORCount {
    let head = try readHead(bytes)
    guard head.major == 5 else { throw .wrongType }
    return try CBORCount(head, itemsEach: 2, remaining: bytes.count - offset)
  }

  /// Reads the head of an array, for `next(_:_:)` to count its items.
  package mutating func enterArray(_ bytes: Span<UInt8>) throws(CBORError) -> CBORCount {
    let head = try readHead(bytes)
    guard head.major == 4 else { throw .wrongType }
    return try CBORCount(head, itemsEach: 1, remaining: bytes.count - offset)
  }

  /// Returns whether a further entry follows. Passes over the break that ends an indefinite count.
  package mutating func next(
    _ entries: inout CBORCount, _ bytes: Span<UInt8>
  ) throws(CBORError) -> Bool {
    if let left = entries.left {
      guard left > 0 else { return false }
      entries.left = left - 1
      return true
    }
    guard offset < bytes.count else { throw .truncated }
    guard bytes[offset] == 0xFF else { return true }
    offset += 1
    return false
  }

  /// Returns the major type of the item that follows, or nil at the end.
  package func peekMajor(_ bytes: Span<UInt8>) -> UInt8? {
    offset < bytes.count ? bytes[offset] >> 5 : nil
  }

  /// Reads a byte string (2) or a text string (3).
  package mutating func readString(
    major: UInt8, _ bytes: Span<UInt8>
  ) throws(CBORError) -> CBORString {
    let head = try readHead(bytes)
    guard head.major == major else { throw .wrongType }
    return try readString(after: head, bytes, checked: true)
  }

  /// Reads a text key, or passes over a key of another type and returns nil.
  mutating func readKey(_ bytes: Span<UInt8>) throws(CBORError) -> CBORString? {
    if peekMajor(bytes) == 3 { return try readString(major: 3, bytes) }
    try skip(bytes, checked: false)
    return nil
  }

  mutating func readString(
    after head: CBORHead, _ bytes: Span<UInt8>, checked: Bool
  ) throws(CBORError) -> CBORString {
    guard head.isIndefinite else {
      return CBORString(
        range: try readChunk(head, bytes, checked: checked), isChunked: false)
    }
    let start = offset
    while true {
      guard offset < bytes.count else { throw .truncated }
      if bytes[offset] == 0xFF { break }
      let chunk = try readHead(bytes)
      guard chunk.major == head.major, !chunk.isIndefinite else { throw .badChunk }
      _ = try readChunk(chunk, bytes, checked: checked)
    }
    offset += 1
    return CBORString(range: start..<(offset - 1), isChunked: true)
  }

  private mutating func readChunk(
    _ head: CBORHead, _ bytes: Span<UInt8>, checked: Bool
  ) throws(CBORError) -> Range<Int> {
    guard head.argument <= UInt64(bytes.count - offset) else { throw .truncated }
    let range = offset..<(offset + Int(head.argument))
    offset = range.upperBound
    if checked, head.major == 3, !bytes.extracting(range).isUTF8 { throw .notUTF8 }
    return range
  }
}

/// The number of entries of an array or map that are left.
package struct CBORCount {
  /// The number, or nil if the entries go on until the break.
  package var left: Int?

  /// Makes the count of a head. Throws if the remaining bytes cannot hold so many entries.
  init(_ head: CBORHead, itemsEach: Int, remaining: Int) throws(CBORError) {
    guard !head.isIndefinite else { return }
    guard head.argument <= UInt64(remaining / itemsEach) else { throw .truncated }
    left = Int(head.argument)
  }
}
