internal import AppAttest

/// A text that a row has elsewhere, as ``RowText`` writes it.
@safe struct StoredText {
  /// The distance of the text's place from its tag.
  static let offsetPlace = 26

  private let digest: Digest128
  private let length: UInt64
  /// The place at which it is kept, and above ``RowText/offsetBits`` the number of bytes that are
  /// kept, if those are not all.
  private let place: UInt64

  init(_ row: UnsafeRawBufferPointer, at start: Int) {
    digest = unsafe Digest128(UnsafeRawBufferPointer(rebasing: row[(start + 2)..<(start + 18)]))
    length = unsafe row.loadUnaligned(fromByteOffset: start + 18, as: UInt64.self)
    place = unsafe row.loadUnaligned(fromByteOffset: start + Self.offsetPlace, as: UInt64.self)
  }

  var offset: UInt64 { place & (1 << RowText.offsetBits - 1) }

  /// The number of its bytes that are kept, or 0 if all are.
  private var cutBytes: UInt64 { place >> RowText.offsetBits }

  /// The number of bytes that are kept. No text is as long as a number can say.
  var keptBytes: Int { Int(min(cutBytes == 0 ? length : cutBytes, 1 << 40)) }

  /// Returns the number that stands in the row for a text that is kept at an offset.
  func place(at offset: UInt64) -> UInt64 { offset | cutBytes << RowText.offsetBits }

  /// Returns whether this is what is kept of it: of a text that an earlier run has cut, only its length is
  /// known.
  func isWhatIsKept(_ text: UnsafeRawBufferPointer) -> Bool {
    guard cutBytes == 0 else { return text.count <= KeptText.longest && cutBytes < length }
    return Digest256.sha256(unsafe Span(_unsafeBytes: text)).firstHalf == digest
  }
}
