internal import AppAttest
internal import RowShuffle

/// A writer of one row at a time. Numbers are in the machine's order, but `big` ones sort as bytes.
@safe final class RowBuilder {
  private let buffer: UnsafeMutableRawBufferPointer
  /// The number of bytes of the row so far. No access overlaps another, since none calls out.
  @exclusivity(unchecked) private var count = 0
  private let texts: TextStore

  /// Makes a builder. Texts too long for a row go to `texts`.
  init(texts: TextStore) {
    self.texts = texts
    unsafe buffer = .allocate(byteCount: RowRun.maximumRowBytes, alignment: 64)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  /// The row written so far, valid until the next `begin`.
  var row: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
  }

  func begin() { unsafe count = 0 }

  /// The end of the row so far, up to which its bytes are written, and the end of the room for it.
  var end: UnsafeMutableRawPointer {
    get { unsafe buffer.baseAddress.unsafelyUnwrapped + count }
    set { unsafe count = newValue - buffer.baseAddress.unsafelyUnwrapped }
  }
  var limit: UnsafeMutableRawPointer {
    unsafe buffer.baseAddress.unsafelyUnwrapped + buffer.count
  }

  /// Makes the row `bytes` longer and returns where they lie, for all of them to be written.
  func extend(by bytes: Int) -> UnsafeMutableRawPointer {
    let start = unsafe count
    unsafe precondition(start + bytes <= buffer.count, "a row is longer than a shuffle takes")
    unsafe count = start + bytes
    return unsafe buffer.baseAddress.unsafelyUnwrapped + start
  }

  /// Writes a number over bytes of the row.
  func patch<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number, at offset: Int) {
    unsafe buffer.storeBytes(of: number, toByteOffset: offset, as: Number.self)
  }

  func put<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
    unsafe extend(by: MemoryLayout<Number>.size).storeBytes(of: number, as: Number.self)
  }

  /// Adds a number of the key.
  func big<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
    put(number.bigEndian)
  }

  func put(_ digest: Digest256) {
    unsafe digest.copy(to: extend(by: Digest256.byteCount))
  }

  func put(_ digest: Digest128) {
    unsafe digest.copy(to: extend(by: Digest128.byteCount))
  }

  func put(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe put(copying: $0) }
  }

  func put(copying bytes: UnsafeRawBufferPointer) {
    unsafe UnsafeMutableRawBufferPointer(start: extend(by: bytes.count), count: bytes.count)
      .copyMemory(from: bytes)
  }

  /// Adds a text, or none.
  func put(text: Span<UInt8>?) throws(AuditError) {
    guard let text else { return put(RowText.absentTag) }
    if text.count <= TextStore.inlineBytes {
      put(UInt16(text.count))
      return put(text)
    }
    let offset = unsafe try text.withUnsafeBytes { (bytes) throws(AuditError) in
      unsafe try texts.store(bytes)
    }
    put(RowText.storedTag)
    Digest256.sha256(text).withSpan { put($0.extracting(first: 16)) }
    put(UInt64(text.count))
    put(offset)
  }

  func put(text: String) throws(AuditError) {
    try put(text: text.utf8.span)
  }

  /// Adds a text of any length as a row that is kept has it.
  func put(kept text: [UInt8]) throws(AuditError) {
    guard text.count > TextStore.inlineBytes else { return try put(text: text.span) }
    put(cut: Array(text.prefix(RowText.longestCut)), RowText.identity(of: text))
  }

  /// Adds a text of another row as a row that is kept has it.
  func put(kept text: RowText) throws(AuditError) {
    guard text.isStored else { return put(text) }
    put(cut: try text.bytes(texts, most: RowText.longestCut), text.identity)
  }

  /// Adds the texts of another row as a row that is kept has them.
  func put(kept texts: RowTexts) throws(AuditError) {
    guard texts.hasStored else { return put(texts) }
    put(texts.present)
    try texts.withEach { (text) throws(AuditError) in try put(kept: text) }
  }

  /// Adds the beginning of a text without the bytes of a character that is not there as a whole.
  private func put(cut bytes: [UInt8], _ identity: [UInt8]) {
    var count = bytes.count
    if count == RowText.longestCut, let end = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }),
      end > 0,
      bytes[end] >= 0x80
    {
      count = end
    }
    put(RowText.cutTag)
    put(identity.span.extracting(droppingFirst: 2))
    put(UInt16(count))
    put(bytes.span.extracting(first: count))
  }

  func put(_ text: RowText) {
    unsafe put(copying: text.encoded)
  }

  func put(_ texts: RowTexts) {
    unsafe put(copying: texts.encoded)
  }

  func big(_ position: Position) {
    big(position.source)
    big(position.lineItem)
  }
}
