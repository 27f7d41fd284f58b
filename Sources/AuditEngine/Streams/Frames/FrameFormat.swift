/// The form of a stream of rows, with little-endian numbers. A header, the same for an audit:
/// ``magic``; the version; 4 bytes of flags, 1 for the stage ``AuditStage/devices``, 2 for a state,
/// 4 where all clientDataHashes are compared; 32 bytes of the settings' digest. Blocks: the number
/// of rows, at least 1, and of bytes; where each row begins and the last ends, 4 bytes each; the
/// rows. A trailer, without which a stream is broken: 4 zeros, ``trailerBytes``; the rows and bytes
/// of all blocks, 8 each; the CRC-32 of everything in front.
enum FrameFormat {
  static let magic: [UInt8] = Array("AUDITROW".utf8)
  static let version: UInt32 = 6
  static let headerBytes = 8 + 4 + 4 + 32

  static let blockHeadBytes = 8
  /// The bytes of the trailer behind its number of rows and its length.
  static let trailerBytes = 8 + 8 + 4
  static let mostRows = 1 << 16
  /// The most bytes of a block of several rows.
  static let mostBytes = 4 << 20
  /// The bytes from which on a block is written.
  static let blockBytes = 1 << 19
  /// The rows from which on a block is written.
  static let blockRows = 1 << 13
}
