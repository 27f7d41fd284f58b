internal import AppAttest

/// A text that a row has elsewhere, as ``RowText`` writes it.
@safe struct StoredText {
  /// The distance of the text's place from its tag.
  static let offsetPlace = 26

  private let digest: Digest128
  private let length: UInt64
  /// The place at which it is kept.
  let offset: UInt64

  init(_ row: UnsafeRawBufferPointer, at start: Int) {
    digest = unsafe Digest128(UnsafeRawBufferPointer(rebasing: row[(start + 2)..<(start + 18)]))
    length = unsafe row.loadUnaligned(fromByteOffset: start + 18, as: UInt64.self)
    offset = unsafe row.loadUnaligned(fromByteOffset: start + Self.offsetPlace, as: UInt64.self)
  }

  /// The number of its bytes. No text is as long as a number can say.
  var byteCount: Int { Int(min(length, 1 << 40)) }

  /// Returns whether this is the text.
  func isText(_ text: UnsafeRawBufferPointer) -> Bool {
    Digest256.sha256(unsafe Span(_unsafeBytes: text)).firstHalf == digest
  }
}
