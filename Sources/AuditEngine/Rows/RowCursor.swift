internal import AppAttest
internal import AuditLog

/// A reader of a row's fields one behind the other, as ``RowBuilder`` wrote them. The values that
/// it gives are valid as long as the row is.
@safe struct RowCursor {
  private let row: UnsafeRawBufferPointer
  private var at = 0

  init(_ row: UnsafeRawBufferPointer) {
    unsafe self.row = row
  }

  private mutating func take(_ count: Int) -> UnsafeRawPointer {
    unsafe precondition(at + count <= row.count, "a row ends before its fields do")
    defer { at += count }
    return unsafe row.baseAddress.unsafelyUnwrapped + at
  }

  mutating func skip(_ count: Int) { at += count }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type = Number.self
  ) -> Number {
    unsafe take(MemoryLayout<Number>.size).loadUnaligned(as: Number.self)
  }

  mutating func big<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type = Number.self
  ) -> Number {
    Number(bigEndian: number(type))
  }

  mutating func bigTime() -> Int64 {
    Int64(bitPattern: big(UInt64.self) ^ 1 << 63)
  }

  mutating func digest() -> Digest256 {
    unsafe Digest256(copying: take(Digest256.byteCount))
  }

  mutating func digest128() -> Digest128 {
    unsafe Digest128(bytes(Digest128.byteCount))
  }

  mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: take(count), count: count)
  }

  /// Returns what has not been read.
  func remainder() -> UnsafeRawBufferPointer {
    unsafe precondition(at <= row.count, "a row ends before its fields do")
    return unsafe UnsafeRawBufferPointer(rebasing: row[at...])
  }

  mutating func text() -> RowText {
    let start = at
    switch number(UInt16.self) {
    case RowText.absentTag: break
    case RowText.storedTag: skip(RowText.storedBytes - 2)
    case RowText.sharedTag: skip(RowText.sharedBytes - 2)
    case let length: skip(Int(length))
    }
    unsafe precondition(at <= row.count, "a row ends before its fields do")
    return unsafe RowText(encoded: UnsafeRawBufferPointer(rebasing: row[start..<at]))
  }

  mutating func texts() -> RowTexts {
    let start = at
    let present = number(UInt8.self)
    for bit in 0..<RowTexts.count where present & 1 << bit != 0 { _ = text() }
    return unsafe RowTexts(encoded: UnsafeRawBufferPointer(rebasing: row[start..<at]))
  }

  mutating func position() -> Position {
    let source = big(UInt32.self)
    return Position(source: source, lineItem: big(UInt64.self))
  }

  mutating func optionalPosition() -> Position? {
    guard number(UInt8.self) != 0 else { return nil }
    return Position(source: number(), lineItem: number())
  }

  mutating func optional<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type = Number.self
  ) -> Number? {
    number(UInt8.self) != 0 ? number(type) : nil
  }

  /// The byte that stands in front of a count that is not small.
  static let largeCount = UInt8.max

  /// Reads a number that is small nearly always (``RowBuilder/put(smallCount:)``).
  mutating func smallCount() -> UInt64 {
    let count = number(UInt8.self)
    return count == Self.largeCount ? number() : UInt64(count)
  }
}
