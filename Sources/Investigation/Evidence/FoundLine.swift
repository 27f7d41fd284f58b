package import AppAttest

/// A line of a log, found again.
package struct FoundLine: Sendable {
  /// What is known of a line before it is parsed.
  package enum State: String, Sendable {
    case whole, blank
    /// Damage in the stream ended it.
    case cut
    /// It is longer than the limit for lines.
    case overlong
  }
  /// The input as the report names it.
  package let source: String
  /// 1-based.
  package let number: UInt64
  /// The line without its end.
  package let bytes: [UInt8]
  package let state: State
  /// The offset of the first byte in the decompressed stream.
  package let byteOffset: UInt64
  /// Where the frame or member that the line begins in lies in the file; nil of a plain file.
  package let frameOffset: UInt64?
  /// The offset of that frame's first byte in the decompressed stream.
  package let frameContentOffset: UInt64
  /// True where `bytes` are only the line's beginning.
  package let isHead: Bool

  package var sha256: Digest256 { .sha256(bytes.span) }
}

/// A damaged place of a stream, found again.
package struct FoundDamage: Sendable {
  /// `truncated`, `corrupt` or `unreadable`.
  package let kind: String
  /// In the file as it lies there.
  package let byteOffset: UInt64
  /// One sentence.
  package let detail: String
}

/// What one reading of an input came to.
package struct ReadInput: Sendable {
  package let source: String
  /// Where it was read.
  package let path: String
  package var bytes: UInt64 = 0
  /// In hex; nil where it could not all be read.
  package var sha256: String?
  /// The SHA-256 of as many bytes as the report has of it, where the file is longer now.
  package var sha256OfReported: String?
  package var lines: [UInt64: FoundLine] = [:]
  package var damage: [FoundDamage] = []
}
