/// One damaged place of a compressed stream.
package struct StreamDamage: Equatable, Sendable {
  /// The kinds of damage, the worst last.
  package enum Kind: UInt8, Sendable, Comparable {
    /// The stream ends early: `stream.truncated`.
    case truncated
    /// A frame or member is damaged: `stream.corrupt`.
    case corrupt
    /// A frame cannot be decoded with these settings: `stream.unreadable`.
    case unreadable

    package static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
  }
  package var kind: Kind
  /// The offset in the compressed file: of the block, the trailing byte, the end of a wrong checksum or file.
  package var byteOffset: UInt64
  /// One English sentence, without a full stop, the same for the same bytes.
  package var detail: String
  /// The offset in the decompressed stream from which on it is unproven, without a good checksum.
  package var unprovenFrom: UInt64?

  package init(
    _ kind: Kind, at byteOffset: UInt64, _ detail: String, unprovenFrom: UInt64? = nil
  ) {
    self.kind = kind
    self.byteOffset = byteOffset
    self.detail = detail
    self.unprovenFrom = unprovenFrom
  }

  /// Whether a checksum failed, or is missing, over content that was decoded and delivered.
  package var isChecksum: Bool { unprovenFrom != nil }
}

package enum DecodeEvent: Equatable, Sendable {
  /// The bytes, at least one, that were written to the output.
  case bytes(Int)
  /// The stream is damaged between what was delivered before and what comes next.
  case damage(StreamDamage)
  /// The source has been read to its end, and everything in it was delivered.
  case end
}
