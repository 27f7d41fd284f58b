internal import AppAttest

/// The form of a stream of rows. All numbers are little-endian.
///
/// - A header, the same in all streams of an audit: ``magic``; the version; of 4 bytes, 1 where there is
///   the stage ``AuditStage/devices``, 2 where there is a state and 4 where all clientDataHashes are
///   compared with a state or with challenges, together; and the 32 bytes of the settings' digest.
/// - Blocks: the number of rows, at least 1; the number of their bytes; where each row begins and the
///   last one ends, from 0 on, of 4 bytes each; the rows.
/// - A trailer: 4 bytes of zeros, ``trailerBytes``; the rows and their bytes in all blocks, of 8 bytes
///   each; the CRC-32 of everything in front of it.
///
/// A stream without its trailer is broken, and nothing may follow it.
enum FrameFormat {
  static let magic: [UInt8] = Array("AUDITROW".utf8)
  static let version: UInt32 = 5
  static let headerBytes = 8 + 4 + 4 + 32

  /// Returns the header.
  static func header(
    _ settings: Digest256, joinsDevices: Bool, remembers: Bool, comparesHashes: Bool
  ) -> [UInt8] {
    var header = magic
    header.append(number: version)
    header.append(
      number: (joinsDevices ? 1 as UInt32 : 0) | (remembers ? 2 : 0) | (comparesHashes ? 4 : 0))
    return header + settings.bytes
  }

  static let blockHeadBytes = 8
  /// The bytes of the trailer behind its number of rows and its length.
  static let trailerBytes = 8 + 8 + 4
  /// The most rows in a block.
  static let mostRows = 1 << 16
  /// The most bytes of a block of several rows.
  static let mostBytes = 4 << 20
  /// The bytes from which on a block is written.
  static let blockBytes = 1 << 19
  /// The rows from which on a block is written.
  static let blockRows = 1 << 13
}
