internal import AppAttest

/// A coder that adds fields to the row of a ``RowBuilder``, at ``finish()``.
@safe struct RowEncoder: RowCoder {
  var isReading: Bool { false }
  // Whoever makes an encoder keeps the builder: to count references to it takes as long as to write a few fields.
  private unowned(unsafe) let row: RowBuilder
  private var end: UnsafeMutableRawPointer
  private let limit: UnsafeMutableRawPointer

  init(_ row: RowBuilder) {
    unsafe self.row = row
    unsafe end = row.end
    unsafe limit = row.limit
  }

  func finish() { unsafe row.end = end }

  @inline(__always)
  private mutating func extend(by count: Int) -> UnsafeMutableRawPointer {
    let start = unsafe end
    unsafe precondition(limit - start >= count, "a row is longer than a shuffle takes")
    unsafe end = start + count
    return unsafe start
  }

  @inline(__always)
  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ number: inout Number) {
    unsafe extend(by: MemoryLayout<Number>.size).storeBytes(of: number, as: Number.self)
  }

  @inline(__always)
  mutating func digest(_ digest: inout Digest256) {
    unsafe digest.copy(to: extend(by: Digest256.byteCount))
  }

  mutating func bytes(_ bytes: inout [UInt8], count: Int) {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe UnsafeMutableRawBufferPointer(start: extend(by: count), count: count)
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }
  }

  mutating func text(_ text: inout String) throws(AuditError) {
    finish()
    try unsafe row.put(text: text)
    unsafe end = row.end
  }
}

/// A coder that appends fields to an array: ``CodedRow/packed``.
struct BytesEncoder: RowCoder {
  var isReading: Bool { false }
  private(set) var bytes: [UInt8]

  /// Returns what `body` writes, after the byte of a row's form if there is one.
  static func bytes(
    _ form: RowForm? = nil, _ body: (inout BytesEncoder) throws(AuditError) -> Void
  ) -> [UInt8] {
    var encoder = BytesEncoder(bytes: form.map { [$0.rawValue] } ?? [])
    withoutFailure { () throws(AuditError) in try body(&encoder) }
    return encoder.bytes
  }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ number: inout Number) {
    bytes.append(number: number)
  }

  mutating func digest(_ digest: inout Digest256) { bytes += digest.bytes }
  mutating func bytes(_ more: inout [UInt8], count: Int) { bytes += more.prefix(count) }

  mutating func counted(_ more: inout [UInt8]) {
    bytes.append(number: UInt32(more.count))
    bytes += more
  }

  mutating func text(_ text: inout String) {
    var content = Array(text.utf8)
    counted(&content)
  }
}

extension RowBuilder {
  /// Adds fields without texts.
  func put(_ row: consuming some CodedRow) {
    var row = row
    var encoder = RowEncoder(self)
    withoutFailure { () throws(AuditError) in try row.fields(&encoder) }
    encoder.finish()
  }
}

extension CodedRow {
  consuming func write(_ row: RowBuilder) throws(AuditError) {
    row.begin()
    try append(to: row)
  }

  consuming func append(to row: RowBuilder) throws(AuditError) {
    var encoder = RowEncoder(row)
    try fields(&encoder)
    encoder.finish()
  }

  /// Reads what ``write(_:)`` wrote.
  init(_ row: UnsafeRawBufferPointer, _ texts: TextStore? = nil) throws(AuditError) {
    self.init()
    var decoder = unsafe RowDecoder(row, texts)
    try fields(&decoder)
  }

  package var packed: [UInt8] {
    var row = self
    return BytesEncoder.bytes { (coder) throws(AuditError) in try row.fields(&coder) }
  }

  package init?(packed bytes: [UInt8]) {
    var row = Self()
    do {
      try unsafe bytes.span.withUnsafeBytes { (bytes) throws(AuditError) in
        var decoder = unsafe RowDecoder(bytes, isPacked: true)
        try row.fields(&decoder)
        try decoder.require(decoder.rest == 0)
      }
    } catch { return nil }
    self = row
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
