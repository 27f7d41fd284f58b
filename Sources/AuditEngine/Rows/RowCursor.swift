internal import AppAttest

/// A reader of a row's fields as ``RowBuilder`` wrote them; values are valid as long as the row.
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

  mutating func digest() -> Digest256 {
    unsafe Digest256(copying: take(Digest256.byteCount))
  }

  mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: take(count), count: count)
  }

  func remainder() -> UnsafeRawBufferPointer {
    unsafe precondition(at <= row.count, "a row ends before its fields do")
    return unsafe UnsafeRawBufferPointer(rebasing: row[at...])
  }

  mutating func text() -> RowText {
    let start = at
    switch number(UInt16.self) {
    case RowText.absentTag: break
    case RowText.storedTag: skip(RowText.storedBytes - 2)
    case RowText.cutTag:
      skip(RowText.cutHeadBytes - 4)
      skip(Int(number(UInt16.self)))
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
}

/// Fields of a row of this process, which are as they were written.
extension RowCursor: RowCoder {
  var isReading: Bool { true }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ number: inout Number) {
    number = self.number()
  }

  mutating func digest(_ digest: inout Digest256) { digest = self.digest() }
  mutating func bytes(_ bytes: inout [UInt8], count: Int) {
    bytes = unsafe Array(self.bytes(count))
  }
}
