package import AppAttest

/// A line of a log, found again.
package struct FoundLine: Sendable {
  /// The state of a line before it is parsed.
  package enum State: String, Sendable {
    case whole, blank
    /// Damage in the stream cut the line.
    case cut
    /// The line is longer than the limit for lines.
    case overlong
  }
  /// The name of the input in the report.
  package let source: String
  /// The number of the line, from 1.
  package let number: UInt64
  /// The line without its end.
  package let bytes: [UInt8]
  package let state: State
  /// The offset of the first byte in the decompressed stream.
  package let byteOffset: UInt64
  /// The offset in the file of the frame or member that the line begins in, or nil for a plain
  /// file.
  package let frameOffset: UInt64?
  /// The offset of that frame's first byte in the decompressed stream.
  package let frameContentOffset: UInt64
  /// Whether `bytes` are only the beginning of the line.
  package let isHead: Bool

  package var sha256: Digest256 { .sha256(bytes.span) }
}

/// A damaged place of a stream, found again.
package struct FoundDamage: Sendable {
  /// The kind of damage: `truncated`, `corrupt` or `unreadable`.
  package let kind: String
  /// The offset in the file as it is stored.
  package let byteOffset: UInt64
  /// One sentence.
  package let detail: String
}

/// The result of reading one input.
package struct ReadInput: Sendable {
  package let source: String
  /// The path that was read.
  package let path: String
  package var bytes: UInt64 = 0
  /// The SHA-256 in hex, or nil if the file could not be read to its end.
  package var sha256: String?
  package var lines: [UInt64: FoundLine] = [:]
  package var damage: [FoundDamage] = []
}
