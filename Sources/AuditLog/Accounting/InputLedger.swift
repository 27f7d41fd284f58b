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
  /// Decompressed bytes, and the lines in them.
  package var bytes: UInt64
  package var lines: UInt64
  /// Where reading goes on if the content has grown: the bytes and lines in front. The end, or the
  /// beginning of a last line that had no end.
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
}

/// What tells whether a file was touched: a change of its bytes changes `changed` (ctime), which
/// nobody can set.
package struct FileStamp: Sendable, Hashable {
  package var path: String
  package var device: UInt64
  package var inode: UInt64
  package var size: UInt64
  /// mtime and ctime in nanoseconds since 1970.
  package var modified: Int64
  package var changed: Int64

  package init(
    path: String, device: UInt64, inode: UInt64, size: UInt64, modified: Int64, changed: Int64
  ) {
    self.path = path
    self.device = device
    self.inode = inode
    self.size = size
    self.modified = modified
    self.changed = changed
  }
}
