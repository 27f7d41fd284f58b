internal import AppAttest
internal import AuditLog

/// A coder that writes numbers in as few bytes as they need: LEB128.
struct VariableBytesWriter: RowCoder {
  var isReading: Bool { false }
  private(set) var bytes: [UInt8] = []

  mutating func put(_ number: UInt64) {
    var rest = number
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Codes a number. Small ones of either sign take few bytes.
  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ number: inout Number) {
    let wide = Int64(truncatingIfNeeded: number)
    put(
      Number.isSigned
        ? UInt64(bitPattern: wide << 1 ^ wide >> 63) : UInt64(truncatingIfNeeded: number))
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

/// A coder that reads what a ``VariableBytesWriter`` wrote, and throws for other bytes.
struct VariableBytesReader: RowCoder {
  var isReading: Bool { true }
  private let bytes: [UInt8]
  private var at = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { at == bytes.count }

  func require(_ isPossible: Bool) throws(AuditError) {
    guard isPossible else {
      throw AuditError(.inconsistent, "a record does not contain what was written to it")
    }
  }

  private mutating func take() throws(AuditError) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      // The tenth byte has room for one bit.
      try require(at < bytes.count && (shift < 63 || bytes[at] <= 1))
      let byte = bytes[at]
      at += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { break }
    }
    return number
  }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: inout Number
  ) throws(AuditError) {
    let bits = try take()
    let found =
      Number.isSigned
      ? Number(exactly: Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
      : Number(exactly: bits)
    try require(found != nil)
    number = found ?? number
  }

  mutating func digest(_ digest: inout Digest256) throws(AuditError) {
    var content: [UInt8] = []
    try bytes(&content, count: Digest256.byteCount)
    digest = Digest256(content) ?? digest
  }

  mutating func bytes(_ more: inout [UInt8], count: Int) throws(AuditError) {
    try require(count <= bytes.count - at)
    more = Array(bytes[at..<(at + count)])
    at += count
  }

  mutating func counted(_ more: inout [UInt8]) throws(AuditError) {
    var count = 0 as UInt32
    try number(&count)
    try bytes(&more, count: Int(count))
  }

  mutating func position(_ position: inout Position) throws(AuditError) {
    var (line, item) = (0 as UInt64, 0 as UInt16)
    try number(&position.source)
    try number(&line)
    try number(&item)
    position = Position(source: position.source, line: line, item: item)
  }

  mutating func text(
    _ text: inout String, _ field: RowBuilder.RepeatedField?
  ) throws(AuditError) {
    var content: [UInt8] = []
    try counted(&content)
    text = String(decoding: content, as: UTF8.self)
  }
}

extension CodedRow {
  package var packed: [UInt8] {
    var (row, writer) = (self, VariableBytesWriter())
    withoutFailure { () throws(AuditError) in try row.fields(&writer) }
    return writer.bytes
  }

  package init?(packed bytes: [UInt8]) {
    self.init()
    var reader = VariableBytesReader(bytes)
    do { try fields(&reader) } catch { return nil }
    guard reader.isAtEnd else { return nil }
  }
}

extension RowCoder {
  /// Codes the bytes of a part (``CodedRow/packed``) after their number.
  mutating func packed<Part: CodedRow>(_ part: inout Part) throws(AuditError) {
    var bytes = isReading ? [] : part.packed
    try counted(&bytes)
    guard isReading else { return }
    let found = Part(packed: bytes)
    try require(found != nil)
    part = found ?? part
  }
}
