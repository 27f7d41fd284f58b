/// A position in the plainest CBOR: small maps of numbers and strings of definite length below
/// 65,536, text in ASCII. Methods return nil or false for anything else, after which it must not be
/// used. What it accepts, ``CBORReader`` reads alike.
@safe struct OrdinaryCBOR {
  /// The kind of a value.
  enum Value {
    case number, simple
    case bytes(Range<Int>)
    case text(Range<Int>)
  }

  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  /// Makes a position at the start of `bytes`, which must outlive it.
  @unsafe @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    unsafe self.bytes = bytes
  }

  private var left: Int { unsafe bytes.count - offset }

  /// Whether no bytes are left.
  var isDone: Bool { left == 0 }

  /// Returns the number of pairs in the map that begins here, at most 23.
  @inline(__always)
  mutating func mapCount() -> Int? {
    guard left > 0 else { return nil }
    let count = unsafe bytes[offset] &- 0xA0
    guard count < 24 else { return nil }
    offset += 1
    return Int(count)
  }

  /// Passes over the given encoded item of 8 bytes or more. Returns false if others follow.
  @inline(__always)
  mutating func pass(_ item: StaticString) -> Bool {
    let count = item.utf8CodeUnitCount
    guard left >= count else { return false }
    let words = unsafe UnsafeRawPointer(item.utf8Start)
    func differ(_ at: Int) -> UInt64 {
      unsafe bytes.loadUnaligned(fromByteOffset: offset + at, as: UInt64.self)
        ^ words.loadUnaligned(fromByteOffset: at, as: UInt64.self)
    }
    var different: UInt64 = 0
    for at in Swift.stride(from: 0, to: count - 8, by: 8) { different |= differ(at) }
    guard different | differ(count - 8) == 0 else { return false }
    offset += count
    return true
  }

  /// Passes over a byte string. Returns the range of its content.
  @inline(__always)
  mutating func byteString() -> Range<Int>? {
    guard let (major, length) = head(), major == 2 else { return nil }
    return content(length)
  }

  /// Passes over a text string in ASCII. Returns the range of its content.
  @inline(__always)
  mutating func text() -> Range<Int>? {
    guard let (major, length) = head(), major == 3, let range = content(length), isASCII(range)
    else { return nil }
    return range
  }

  /// Reads a value that is not an array, map, tag or float.
  @inline(__always)
  mutating func value() -> Value? {
    guard let (major, argument) = head() else { return nil }
    switch major {
    case 0, 1: return .number
    case 2: return content(argument).map { .bytes($0) }
    case 3:
      guard let range = content(argument), isASCII(range) else { return nil }
      return .text(range)
    case 7: return .simple
    default: return nil
    }
  }

  /// Reads major type and argument. Only the short form of simple values is accepted.
  @inline(__always)
  private mutating func head() -> (major: UInt8, argument: Int)? {
    guard left >= 1 else { return nil }
    let first = unsafe bytes[offset]
    let major = first >> 5
    let information = first & 31
    if information < 24 {
      offset += 1
      return (major, Int(information))
    }
    guard major <= 3 else { return nil }
    if information == 24, left >= 2 {
      let argument = unsafe Int(bytes[offset + 1])
      offset += 2
      return (major, argument)
    }
    if information == 25, left >= 3 {
      let argument = unsafe Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2])
      offset += 3
      return (major, argument)
    }
    return nil
  }

  @inline(__always)
  private mutating func content(_ length: Int) -> Range<Int>? {
    guard length <= left else { return nil }
    let range = offset..<(offset + length)
    offset += length
    return range
  }

  /// Returns whether the bytes of a range that was passed are ASCII.
  @inline(__always)
  private func isASCII(_ range: Range<Int>) -> Bool {
    var seen: UInt64 = 0
    var at = range.lowerBound
    while at + 8 <= range.upperBound {
      seen |= unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      at += 8
    }
    while at < range.upperBound {
      seen |= unsafe UInt64(bytes[at])
      at += 1
    }
    return seen & 0x8080_8080_8080_8080 == 0
  }

  /// Returns whether two ranges that were passed hold the same bytes.
  @inline(__always)
  func areEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    guard left.count == right.count else { return false }
    var at = 0
    while at + 8 <= left.count {
      let a = unsafe bytes.loadUnaligned(
        fromByteOffset: left.lowerBound + at, as: UInt64.self)
      let b = unsafe bytes.loadUnaligned(
        fromByteOffset: right.lowerBound + at, as: UInt64.self)
      if a != b { return false }
      at += 8
    }
    while at < left.count {
      if unsafe bytes[left.lowerBound + at] != bytes[right.lowerBound + at] { return false }
      at += 1
    }
    return true
  }
}
