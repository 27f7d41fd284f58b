internal import AppAttest

/// A text as a kept row has it, which no ``TextStore`` goes with.
///
/// Layout: as ``RowText`` where it is short or absent; else `cutTag`, SHA-256 cut to 16 bytes, 8
/// bytes of length, 2 bytes of what follows, and the beginning of the text.
@safe struct KeptText {
  static let cutTag: UInt16 = 0xFFFD
  /// The most of a text that is kept, in bytes of UTF-8.
  static let longest = 2048
  private static let headBytes = 2 + 16 + 8 + 2

  /// The layout's bytes.
  private let encoded: UnsafeRawBufferPointer

  /// Returns the text at the front of `bytes`, with the bytes behind it, or nil if `bytes` does not
  /// begin with a text.
  static func read(
    _ bytes: UnsafeRawBufferPointer
  ) -> (text: KeptText, rest: UnsafeRawBufferPointer)? {
    guard bytes.count >= 2 else { return nil }
    let tag = unsafe bytes.loadUnaligned(as: UInt16.self)
    var count = 2
    switch tag {
    case RowText.absentTag: break
    case cutTag:
      guard bytes.count >= headBytes else { return nil }
      let length = unsafe Int(bytes.loadUnaligned(fromByteOffset: headBytes - 2, as: UInt16.self))
      guard (1...longest).contains(length) else { return nil }
      count = headBytes + length
    default:
      guard tag <= UInt16(TextStore.inlineBytes) else { return nil }
      count += Int(tag)
    }
    guard bytes.count >= count else { return nil }
    return unsafe (
      KeptText(encoded: UnsafeRawBufferPointer(rebasing: bytes[..<count])),
      UnsafeRawBufferPointer(rebasing: bytes[count...])
    )
  }

  /// Whether a row of the shuffle has it in another way.
  var isCut: Bool { unsafe encoded.loadUnaligned(as: UInt16.self) == Self.cutTag }

  /// The text's bytes, as far as they are here.
  var bytes: [UInt8] { unsafe Array(encoded[(isCut ? Self.headBytes : 2)...]) }

  /// Writes it as a row of the shuffle has it.
  func write(to row: RowBuilder) throws(AuditError) {
    guard isCut else { return unsafe row.put(copying: encoded) }
    unsafe try row.put(
      beginning: UnsafeRawBufferPointer(rebasing: encoded[Self.headBytes...]),
      digest: UnsafeRawBufferPointer(rebasing: encoded[2..<18]),
      length: encoded.loadUnaligned(fromByteOffset: 18, as: UInt64.self))
  }

  /// Writes a text of the shuffle as a kept row has it.
  static func put(
    _ text: RowText, _ texts: TextStore, _ row: RowBuilder
  ) throws(AuditError) {
    guard text.isStored else { return row.put(text) }
    let beginning = cut(try text.bytes(texts, most: longest))
    row.put(cutTag)
    unsafe row.put(copying: UnsafeRawBufferPointer(rebasing: text.encoded[2..<26]))
    row.put(UInt16(beginning.count))
    row.put(beginning.span)
  }

  /// Writes a text of any length.
  static func put(_ text: String, _ row: RowBuilder) throws(AuditError) {
    let bytes = Array(text.utf8)
    guard bytes.count > TextStore.inlineBytes else { return try row.put(text: bytes.span) }
    let beginning = cut(Array(bytes.prefix(longest)))
    row.put(cutTag)
    Digest256.sha256(bytes.span).withSpan { row.put($0.extracting(first: 16)) }
    row.put(UInt64(bytes.count))
    row.put(UInt16(beginning.count))
    row.put(beginning.span)
  }

  /// Returns the bytes without those of a character that is not there as a whole.
  private static func cut(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count == longest, let end = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }), end > 0,
      bytes[end] >= 0x80
    else { return bytes }
    return Array(bytes[..<end])
  }
}
