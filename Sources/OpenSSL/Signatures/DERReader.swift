internal import Glibc

/// A strict reader of DER (X.690), which is a position only: the bytes are handed to each call.
package struct DERReader {
  package struct Item {
    /// Class, form and number, as the constants of `DERReader` have them.
    package var tag: UInt64
    package var content: Range<Int>

    /// Whether the content is a row of items.
    package var isConstructed: Bool { tag & DERReader.constructed != 0 }
  }

  static let constructed: UInt64 = 1 << 60
  private static let classShift: UInt64 = 61
  package static let integer: UInt64 = 2
  package static let octetString: UInt64 = 4
  package static let sequence: UInt64 = constructed | 16
  package static let set: UInt64 = constructed | 17
  /// Returns the constructed, context-specific tag of that number.
  package static func context(_ number: UInt32) -> UInt64 {
    2 << classShift | constructed | UInt64(number)
  }

  /// The depth to which items may nest if a whole item is walked through.
  private static let depthLimit = 32

  package private(set) var offset: Int
  package let end: Int

  package init(_ range: Range<Int>) {
    offset = range.lowerBound
    end = range.upperBound
  }

  package var isAtEnd: Bool { offset >= end }

  /// Returns the next item, or nil if the bytes are not DER or end too soon.
  package mutating func next(in bytes: Span<UInt8>) -> Item? {
    guard end <= bytes.count, let tag = readTag(bytes), let length = readLength(bytes),
      length <= end - offset
    else { return nil }
    let content = offset..<(offset + length)
    offset = content.upperBound
    return Item(tag: tag, content: content)
  }

  /// Passes over the next item and returns its content if it has that tag, or else returns nil.
  package mutating func next(_ tag: UInt64, in bytes: Span<UInt8>) -> Range<Int>? {
    let start = offset
    if let item = next(in: bytes), item.tag == tag { return item.content }
    offset = start
    return nil
  }

  /// Returns the content of the item with that tag that is all of a range, or else nil.
  package static func only(_ tag: UInt64, _ range: Range<Int>, in bytes: Span<UInt8>) -> Range<Int>?
  {
    var reader = DERReader(range)
    let content = reader.next(tag, in: bytes)
    return reader.isAtEnd ? content : nil
  }

  /// Passes over exactly these bytes. Returns false, and passes over nothing, for others.
  package mutating func pass(_ literal: [UInt8], in bytes: Span<UInt8>) -> Bool {
    guard end <= bytes.count, literal.count <= end - offset else { return false }
    let start = offset
    let isThere = unsafe bytes.withUnsafeBytes { bytes in
      unsafe literal.withUnsafeBytes { literal in
        unsafe literal.count == 0
          || memcmp(
            bytes.baseAddress.unsafelyUnwrapped + start, literal.baseAddress.unsafelyUnwrapped,
            literal.count) == 0
      }
    }
    if isThere { offset += literal.count }
    return isThere
  }

  /// Passes over one byte and returns it, or nil at the end.
  package mutating func nextByte(in bytes: Span<UInt8>) -> UInt8? {
    end <= bytes.count ? readByte(bytes) : nil
  }

  /// Returns whether the bytes are one item, well-formed to the innermost, with nothing left over.
  package static func isOneItem(_ bytes: Span<UInt8>) -> Bool {
    var reader = DERReader(0..<bytes.count)
    guard let item = reader.next(in: bytes), reader.isAtEnd else { return false }
    return isWellFormed(item, in: bytes, depth: 1)
  }

  private static func isWellFormed(_ item: Item, in bytes: Span<UInt8>, depth: Int) -> Bool {
    guard item.isConstructed else { return true }
    guard depth < depthLimit else { return false }
    var reader = DERReader(item.content)
    while !reader.isAtEnd {
      guard let inner = reader.next(in: bytes), isWellFormed(inner, in: bytes, depth: depth + 1)
      else { return false }
    }
    return true
  }

  @inline(__always)
  private mutating func readByte(_ bytes: Span<UInt8>) -> UInt8? {
    guard offset < end else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  @inline(__always)
  private mutating func readTag(_ bytes: Span<UInt8>) -> UInt64? {
    guard let first = readByte(bytes) else { return nil }
    let kind = UInt64(first >> 6) << Self.classShift | (first & 0x20 != 0 ? Self.constructed : 0)
    return first & 0x1F == 0x1F ? readLongTag(kind, bytes) : kind | UInt64(first & 0x1F)
  }

  private mutating func readLongTag(_ kind: UInt64, _ bytes: Span<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    // Four groups of seven bits: far above any tag in use.
    for index in 0..<4 {
      guard let byte = readByte(bytes), index > 0 || byte != 0x80 else { return nil }
      number = number << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return number >= 0x1F ? kind | number : nil }
    }
    return nil
  }

  @inline(__always)
  private mutating func readLength(_ bytes: Span<UInt8>) -> Int? {
    guard let first = readByte(bytes) else { return nil }
    return first < 0x80 ? Int(first) : readLongLength(Int(first & 0x7F), bytes)
  }

  private mutating func readLongLength(_ count: Int, _ bytes: Span<UInt8>) -> Int? {
    guard count >= 1, count <= 4 else { return nil }
    var length = 0
    for index in 0..<count {
      guard let byte = readByte(bytes), index > 0 || byte != 0 else { return nil }
      length = length << 8 | Int(byte)
    }
    return length >= 0x80 ? length : nil
  }
}
