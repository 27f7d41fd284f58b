/// The inputs that earlier runs accounted for, by what was in them.
package protocol InputLedger: Sendable {
  /// The input whose decompressed content has this SHA-256, 32 bytes.
  func input(content sha256: [UInt8]) throws -> AccountedInput?
  /// The input that was read from a file which has not been touched since: nothing of it need be
  /// read again.
  func input(untouched stamp: FileStamp) throws -> AccountedInput?
  /// The inputs that a file may begin with, at most 64, the longest first: those whose content has
  /// `head` (the SHA-256 of its first ``AccountedInput/headBytes`` decompressed bytes), and those that
  /// were read from this path, or from this file under another one.
  func beginnings(head: [UInt8]?, stamp: FileStamp) throws -> [AccountedInput]
}

/// An input that was accounted for.
package struct AccountedInput: Sendable, Equatable {
  /// How much of a content its head is, in bytes; shorter contents have none.
  package static let headBytes = 4096

  /// Its number among all sources of all runs.
  package var source: UInt32
  package var name: String
  /// SHA-256 of the decompressed content, 32 bytes.
  package var sha256: [UInt8]
  /// Decompressed bytes, and the lines that were judged in them: a last one that has no end is among
  /// them, one that damage has cut off is not.
  package var bytes: UInt64
  package var lines: UInt64
  /// Where the last line begins if it has no end, else the end: the bytes and lines in front. If the
  /// content has grown, reading goes on there, or behind that line (``ContentScan``).
  package var resumeBytes: UInt64
  package var resumeLines: UInt64
  /// SHA-256 of the first ``headBytes`` decompressed bytes; nil where there are fewer.
  package var head: [UInt8]?

  package init(
    source: UInt32, name: String, sha256: [UInt8], bytes: UInt64, lines: UInt64,
    resumeBytes: UInt64, resumeLines: UInt64, head: [UInt8]?
  ) {
    self.source = source
    self.name = name
    self.sha256 = sha256
    self.bytes = bytes
    self.lines = lines
    self.resumeBytes = resumeBytes
    self.resumeLines = resumeLines
    self.head = head
  }

  /// Whether there is a last line without an end that was not judged: damage has cut it off.
  var endsInCutLine: Bool { resumeBytes < bytes && lines <= resumeLines }
}
