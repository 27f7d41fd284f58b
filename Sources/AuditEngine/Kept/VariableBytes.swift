internal import AppAttest

/// Numbers in as few bytes as they need: seven bits a byte, the lowest first, the highest bit set
/// in all but the last (LEB128).
package struct VariableBytesWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func put(_ number: UInt64) {
    var rest = number
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Puts a number with a sign. Small numbers of either sign take few bytes.
  package mutating func put(signed number: Int64) {
    put(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  /// Puts bytes behind their number.
  package mutating func put(_ more: [UInt8]) {
    put(UInt64(more.count))
    bytes += more
  }

  package mutating func put(_ text: String) { put(Array(text.utf8)) }
}

/// A reader of what a ``VariableBytesWriter`` wrote. It gives nil for bytes that cannot have been
/// written so.
package struct VariableBytesReader {
  private let bytes: [UInt8]
  private var at = 0

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package var isAtEnd: Bool { at == bytes.count }
  /// Bytes not read yet.
  package var left: Int { bytes.count - at }

  package mutating func number() -> UInt64? {
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

  package mutating func number<Number: FixedWidthInteger>(as type: Number.Type) -> Number? {
    number().flatMap(Number.init(exactly:))
  }

  package mutating func signed() -> Int64? {
    number().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }

  package mutating func block() -> [UInt8]? {
    guard let count = number(as: Int.self), count <= left else { return nil }
    defer { at += count }
    return Array(bytes[at..<(at + count)])
  }

  package mutating func text() -> String? {
    block().map { String(decoding: $0, as: UTF8.self) }
  }
}

// MARK: Fields of several records

extension VariableBytesWriter {
  package mutating func put(optional number: Int64?) {
    put(number == nil ? 0 : 1)
    if let number { put(signed: number) }
  }

  package mutating func put(position: Position?) {
    put(position == nil ? 0 : 1)
    if let position { put(position) }
  }

  mutating func put(_ position: Position) {
    put(UInt64(position.source))
    put(position.line)
    put(UInt64(position.item))
  }
}

extension VariableBytesReader {
  /// Returns a number or no number, or nil for what was never written.
  package mutating func optional() -> Int64?? {
    switch number() {
    case 0: return .some(nil)
    case 1: return signed().map { .some($0) }
    default: return nil
    }
  }

  /// Returns a position or no position, or nil for what was never written.
  package mutating func position() -> Position?? {
    switch number() {
    case 0: return .some(nil)
    case 1: return somePosition().map { .some($0) }
    default: return nil
    }
  }

  mutating func somePosition() -> Position? {
    guard let source = number(as: UInt32.self), let line = number(),
      let item = number(as: UInt16.self)
    else { return nil }
    return Position(source: source, line: line, item: item)
  }
}

// MARK: Rows

/// Numbers that are optional have a sign.
extension VariableBytesWriter: RowCoder {
  static var isReading: Bool { false }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ number: inout Number) {
    if Number.isSigned {
      put(signed: Int64(truncatingIfNeeded: number))
    } else {
      put(UInt64(truncatingIfNeeded: number))
    }
  }

  mutating func optional<Number: FixedWidthInteger & BitwiseCopyable>(_ number: inout Number?) {
    put(optional: number.map { Int64(truncatingIfNeeded: $0) })
  }

  mutating func digest(_ digest: inout Digest256) { put(digest.bytes) }
  mutating func bytes(_ more: inout [UInt8], count: Int) { bytes += more.prefix(count) }
  mutating func counted(_ bytes: inout [UInt8]) { put(bytes) }
  mutating func position(_ position: inout Position) { put(position) }
  mutating func text(_ text: inout String, _ field: RowBuilder.RepeatedField?) { put(text) }
}

extension VariableBytesReader: RowCoder {
  static var isReading: Bool { true }

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
    let found = try some(optional())
    number = found.flatMap(Number.init(exactly:))
    try require(found == nil || number != nil)
  }

  mutating func digest(_ digest: inout Digest256) throws(AuditError) {
    digest = try some(block().flatMap { Digest256($0) })
  }

  mutating func bytes(_ more: inout [UInt8], count: Int) throws(AuditError) {
    try require(count <= left)
    more = Array(bytes[at..<(at + count)])
    at += count
  }

  mutating func counted(_ bytes: inout [UInt8]) throws(AuditError) { bytes = try some(block()) }

  mutating func position(_ position: inout Position) throws(AuditError) {
    position = try some(somePosition())
  }

  mutating func text(
    _ text: inout String, _ field: RowBuilder.RepeatedField?
  ) throws(AuditError) {
    text = try some(self.text())
  }
}

extension CodedRow {
  /// The row in as few bytes as it needs, for logs and streams that are read once.
  var packed: [UInt8] {
    var (row, writer) = (self, VariableBytesWriter())
    withoutFailure { () throws(AuditError) in try row.fields(&writer) }
    return writer.bytes
  }

  /// Reads what ``packed`` wrote, or gives nil for any other bytes.
  init?(packed bytes: [UInt8]) {
    self.init()
    var reader = VariableBytesReader(bytes)
    do { try fields(&reader) } catch { return nil }
    guard reader.isAtEnd else { return nil }
  }
}
