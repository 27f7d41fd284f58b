internal import AppAttest
internal import AuditLog

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

  /// Puts a number with a sign. Small numbers of either sign take few bytes.
  mutating func put(signed number: Int64) {
    put(UInt64(bitPattern: number << 1 ^ number >> 63))
  }
}

/// A reader of what a ``VariableBytesWriter`` wrote. It gives nil for bytes that cannot have been
/// written so.
struct VariableBytesReader {
  private let bytes: [UInt8]
  private var at = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { at == bytes.count }

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

  private mutating func block() -> [UInt8]? {
    number(as: Int.self).flatMap { take($0) }
  }

  private mutating func take(_ count: Int) -> [UInt8]? {
    guard count <= bytes.count - at else { return nil }
    defer { at += count }
    return Array(bytes[at..<(at + count)])
  }
}

// MARK: Rows

/// Numbers that are optional have a sign.
extension VariableBytesWriter: RowCoder {
  var isReading: Bool { false }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ number: inout Number) {
    if Number.isSigned {
      put(signed: Int64(truncatingIfNeeded: number))
    } else {
      put(UInt64(truncatingIfNeeded: number))
    }
  }

  mutating func optional<Number: FixedWidthInteger & BitwiseCopyable>(_ number: inout Number?) {
    put(number == nil ? 0 : 1)
    if let number { put(signed: Int64(truncatingIfNeeded: number)) }
  }

  mutating func digest(_ digest: inout Digest256) { bytes += digest.bytes }
  mutating func bytes(_ more: inout [UInt8], count: Int) { bytes += more.prefix(count) }
  mutating func counted(_ more: inout [UInt8]) {
    put(UInt64(more.count))
    bytes += more
  }
  mutating func position(_ position: inout Position) {
    put(UInt64(position.source))
    put(position.line)
    put(UInt64(position.item))
  }
  mutating func text(_ text: inout String, _ field: RowBuilder.RepeatedField?) {
    var content = Array(text.utf8)
    counted(&content)
  }
}

extension VariableBytesReader: RowCoder {
  var isReading: Bool { true }

  func require(_ isPossible: Bool) throws(AuditError) { _ = try some(isPossible ? true : nil) }

  private func some<Value>(_ value: Value?) throws(AuditError) -> Value {
    guard let value else {
      throw AuditError(.inconsistent, "a record does not contain what was written to it")
    }
    return value
  }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: inout Number
  ) throws(AuditError) {
    number = try some(
      Number.isSigned ? signed().flatMap(Number.init(exactly:)) : self.number(as: Number.self))
  }

  mutating func optional<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: inout Number?
  ) throws(AuditError) {
    var isThere: UInt8 = 0
    try self.number(&isThere)
    try require(isThere <= 1)
    number = isThere == 0 ? nil : try some(signed().flatMap(Number.init(exactly:)))
  }

  mutating func digest(_ digest: inout Digest256) throws(AuditError) {
    digest = try some(take(Digest256.byteCount).flatMap { Digest256($0) })
  }

  mutating func bytes(_ more: inout [UInt8], count: Int) throws(AuditError) {
    more = try some(take(count))
  }

  mutating func counted(_ bytes: inout [UInt8]) throws(AuditError) { bytes = try some(block()) }

  mutating func position(_ position: inout Position) throws(AuditError) {
    position = Position(
      source: try some(number(as: UInt32.self)), line: try some(number()),
      item: try some(number(as: UInt16.self)))
  }

  mutating func text(
    _ text: inout String, _ field: RowBuilder.RepeatedField?
  ) throws(AuditError) {
    text = String(decoding: try some(block()), as: UTF8.self)
  }
}

extension CodedRow {
  /// The row in as few bytes as it needs, for logs and streams that are read once.
  package var packed: [UInt8] {
    var (row, writer) = (self, VariableBytesWriter())
    withoutFailure { () throws(AuditError) in try row.fields(&writer) }
    return writer.bytes
  }

  /// Reads what ``packed`` wrote, or gives nil for any other bytes.
  package init?(packed bytes: [UInt8]) {
    self.init()
    var reader = VariableBytesReader(bytes)
    do { try fields(&reader) } catch { return nil }
    guard reader.isAtEnd else { return nil }
  }
}
