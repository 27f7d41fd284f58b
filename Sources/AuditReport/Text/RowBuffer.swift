internal import AppAttest
internal import Basics

/// Bytes of rows on their way to a file: numbers, hex and text are formatted in place.
struct RowBuffer {
  private(set) var bytes: [UInt8] = []

  private static let digits: [UInt8] = Array("0123456789abcdef".utf8)

  init(capacity: Int = 0) {
    bytes.reserveCapacity(capacity)
  }

  var count: Int { bytes.count }

  /// The bytes as text.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Forgets the bytes and keeps their room.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  /// The text's UTF-8, as it is.
  @inline(__always)
  mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  @inline(__always)
  mutating func append(ascii text: StaticString) {
    unsafe bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// A number in decimal.
  mutating func append(decimal value: UInt64) {
    append(decimal: value, width: 1)
  }

  /// A number in decimal, with a minus where it is below 0.
  mutating func append(signed value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(decimal: value.magnitude)
  }

  /// A number in decimal, padded with zeroes to `width` digits.
  mutating func append(decimal value: UInt64, width: Int) {
    let start = bytes.count
    var rest = value
    var count = 0
    repeat {
      bytes.append(UInt8(truncatingIfNeeded: rest % 10) &+ 0x30)
      rest /= 10
      count += 1
    } while rest > 0 || count < width
    var low = start
    var high = bytes.count - 1
    while low < high {
      bytes.swapAt(low, high)
      low += 1
      high -= 1
    }
  }

  /// Two lower-case hex digits for each byte.
  mutating func append(hex source: Span<UInt8>) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: source.count * 2) { room in
      for index in source.indices {
        unsafe room[2 * index] = Self.digit(source[index] >> 4)
        unsafe room[2 * index + 1] = Self.digit(source[index] & 15)
      }
      unsafe bytes.append(contentsOf: room)
    }
  }

  /// Returns a lower-case hex digit.
  @inline(__always)
  private static func digit(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 0x30 : 0x57) }

  /// Two lower-case hex digits for each byte.
  mutating func append(hex digest: Digest256) {
    digest.withSpan { append(hex: $0) }
  }

  /// Sixteen lower-case hex digits, the most significant first.
  mutating func append(fingerprint value: UInt64) {
    var shift = 60
    while shift >= 0 {
      bytes.append(Self.digits[Int((value >> UInt64(shift)) & 15)])
      shift -= 4
    }
  }

  /// The 32 bytes in RFC 4648 base64, padded.
  mutating func append(base64 digest: Digest256) {
    digest.withSpan { bytes += Base64Text.encode($0) }
  }

  /// Milliseconds since 1970 as RFC 3339 in UTC; see ``CivilTime``.
  mutating func append(time milliseconds: Int64) {
    var room = CivilTime.Room(repeating: 0)
    let count = CivilTime(milliseconds: milliseconds).write(to: &room)
    for index in 0..<count { bytes.append(room[index]) }
  }
}
