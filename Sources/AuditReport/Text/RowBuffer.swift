internal import AppAttest
internal import Basics

/// A buffer for bytes of rows on their way to a file. Numbers, hex and text are formatted in place.
struct RowBuffer {
  /// The memory of the buffer. Its front is used.
  private var memory: [UInt8]
  private(set) var count = 0

  init(capacity: Int = 0) { memory = [UInt8](repeating: 0, count: capacity) }

  var capacity: Int { memory.count }

  var piece: ArraySlice<UInt8> { memory[..<count] }

  var bytes: [UInt8] { Array(piece) }

  var text: String { String(decoding: piece, as: UTF8.self) }

  mutating func removeAll() { count = 0 }

  /// Removes the bytes. Memory that grew beyond `most` bytes is given back.
  mutating func removeAll(keeping most: Int) {
    count = 0
    if capacity > most { memory = [UInt8](repeating: 0, count: most) }
  }

  /// Calls `body` to write at most `most` bytes behind the present ones, and to return their number.
  @inline(__always)
  private mutating func extend(
    atMost most: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int
  ) {
    if memory.count - count < most { grow(by: most) }
    let start = count
    let written = unsafe memory.withUnsafeMutableBufferPointer { room in
      unsafe body(room.baseAddress.unsafelyUnwrapped + start)
    }
    precondition(written >= 0 && written <= most, "more was written than there was room for")
    count = start + written
  }

  @inline(never)
  private mutating func grow(by more: Int) {
    let added = max(more, memory.count, 256)
    memory.append(contentsOf: repeatElement(0, count: added))
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    unsafe extend(atMost: 1) { room in
      unsafe room[0] = byte
      return 1
    }
  }

  @inline(__always)
  mutating func append(_ text: String) {
    let isDone: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
      unsafe append(copying: $0)
    }
    if isDone == nil {
      for byte in text.utf8 { append(byte) }
    }
  }

  @inline(__always)
  mutating func append(ascii text: StaticString) {
    unsafe append(
      copying: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inline(__always)
  mutating func append(copying bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    let length = bytes.count
    unsafe extend(atMost: length) { room in
      unsafe room.update(from: source, count: length)
      return length
    }
  }

  @inline(__always)
  mutating func append(copying other: RowBuffer) {
    unsafe other.memory.withUnsafeBufferPointer {
      unsafe append(copying: UnsafeBufferPointer(rebasing: $0[..<other.count]))
    }
  }

  mutating func append(signed value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(decimal: value.magnitude)
  }

  /// Appends a number in decimal, padded with zeroes to `width` digits.
  mutating func append(decimal value: UInt64, width: Int = 1) {
    var digits = max(width, 1)
    // A number of 64 bits has 20 digits at most.
    var bound: UInt64 = 1
    for _ in 0..<min(digits, 19) { bound *= 10 }
    while digits < 20, value >= bound {
      digits += 1
      if digits < 20 { bound *= 10 }
    }
    unsafe extend(atMost: digits) { room in
      unsafe Self.put(value, digits, at: room)
      return digits
    }
  }

  @inline(__always)
  private static func put(_ number: UInt64, _ width: Int, at room: UnsafeMutablePointer<UInt8>) {
    var rest = number
    var at = width
    while at > 0 {
      at &-= 1
      unsafe room[at] = UInt8(truncatingIfNeeded: rest % 10) &+ UInt8(ascii: "0")
      rest /= 10
    }
  }

  mutating func append(hex source: Span<UInt8>) {
    unsafe source.withUnsafeBytes { bytes in
      unsafe extend(atMost: bytes.count * 2) { room in
        let digits = UnsafeMutableRawPointer(room)
        var at = 0
        while at + 4 <= bytes.count {
          let word = unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)
          unsafe digits.storeBytes(
            of: Self.digits(of: UInt32(littleEndian: word)).littleEndian, toByteOffset: 2 * at,
            as: UInt64.self)
          at += 4
        }
        while at < bytes.count {
          unsafe room[2 * at] = Self.digit(bytes[at] >> 4)
          unsafe room[2 * at + 1] = Self.digit(bytes[at] & 15)
          at += 1
        }
        return bytes.count * 2
      }
    }
  }

  /// Returns the digits of four bytes as eight characters, the first ones in the low bits.
  @inline(__always)
  private static func digits(of bytes: UInt32) -> UInt64 {
    var spread = UInt64(bytes)
    spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
    spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
    // Of each byte the upper half comes first.
    let halves = (spread >> 4 | spread << 8) & 0x0F0F_0F0F_0F0F_0F0F
    let isLetter = (halves &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    // From the digit behind 9 to the letter a it is 0x27.
    return halves &+ 0x3030_3030_3030_3030 &+ isLetter &* 0x27
  }

  @inline(__always)
  private static func digit(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 0x30 : 0x57) }

  mutating func append(hex digest: Digest256) { digest.withSpan { append(hex: $0) } }

  /// Appends sixteen lower-case hex digits, the most significant first.
  mutating func append(fingerprint value: UInt64) {
    let bytes = InlineArray<8, UInt8> { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
    append(hex: bytes.span)
  }

  /// Appends the 32 bytes in RFC 4648 base64, padded.
  mutating func append(base64 digest: Digest256) {
    digest.withSpan { span in
      unsafe Base64Text.encode(span).withUnsafeBufferPointer { unsafe append(copying: $0) }
    }
  }

  /// Appends milliseconds since 1970 in RFC 3339 in UTC (see ``CivilTime``).
  mutating func append(time milliseconds: Int64) {
    var room = CivilTime.Room(repeating: 0)
    let count = CivilTime(milliseconds: milliseconds).write(to: &room)
    unsafe room.span.extracting(first: count).withUnsafeBufferPointer {
      unsafe append(copying: $0)
    }
  }
}
