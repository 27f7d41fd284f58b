internal import AppAttest

/// A text that a row has elsewhere, as ``RowText`` writes it.
@safe struct StoredText {
  /// Where its place stands, from its tag on.
  static let offsetPlace = 26

  private let digest: Digest128
  private let length: UInt64
  /// Where it is kept, and above ``RowText/offsetBits`` how much of it where that is not all.
  private let place: UInt64

  init(_ row: UnsafeRawBufferPointer, at start: Int) {
    digest = unsafe Digest128(UnsafeRawBufferPointer(rebasing: row[(start + 2)..<(start + 18)]))
    length = unsafe row.loadUnaligned(fromByteOffset: start + 18, as: UInt64.self)
    place = unsafe row.loadUnaligned(fromByteOffset: start + Self.offsetPlace, as: UInt64.self)
  }

  var offset: UInt64 { place & (1 << RowText.offsetBits - 1) }

  /// How much of it is kept, in bytes; 0: all.
  private var cutBytes: UInt64 { place >> RowText.offsetBits }

  /// How many bytes are kept; no text is as long as a number can say.
  var keptBytes: Int { Int(min(cutBytes == 0 ? length : cutBytes, 1 << 40)) }

  /// What stands in the row where it is kept at an offset.
  func place(at offset: UInt64) -> UInt64 { offset | cutBytes << RowText.offsetBits }

  /// Returns whether this is what is kept of it: of a text that an earlier run has cut, only its length is
  /// known.
  func isWhatIsKept(_ text: UnsafeRawBufferPointer) -> Bool {
    guard cutBytes == 0 else { return text.count <= KeptText.longest && cutBytes < length }
    return Digest256.sha256(unsafe Span(_unsafeBytes: text)).firstHalf == digest
  }
}
