internal import AppAttest

/// A text that a row has elsewhere, as ``RowText`` writes it.
@safe struct StoredText {
  /// Where its place stands, from its tag on.
  static let offsetPlace = 26

  private let digest: Digest128
  let length: UInt64
  let offset: UInt64

  init(_ row: UnsafeRawBufferPointer, at start: Int) {
    digest = unsafe Digest128(UnsafeRawBufferPointer(rebasing: row[(start + 2)..<(start + 18)]))
    length = unsafe row.loadUnaligned(fromByteOffset: start + 18, as: UInt64.self)
    offset = unsafe row.loadUnaligned(fromByteOffset: start + Self.offsetPlace, as: UInt64.self)
  }

  func isDigest(of text: UnsafeRawBufferPointer) -> Bool {
    Digest256.sha256(unsafe Span(_unsafeBytes: text)).firstHalf == digest
  }
}
