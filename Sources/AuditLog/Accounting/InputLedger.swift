/// The inputs that earlier runs accounted for, by what was in them.
package protocol InputLedger: Sendable {
  /// Returns the input whose decompressed content has this SHA-256, 32 bytes.
  func input(content sha256: [UInt8]) throws -> AccountedInput?
  /// Returns the input that was read from a file which has not been touched since: nothing of it
  /// need be read again.
  func input(untouched stamp: FileStamp) throws -> AccountedInput?
  /// Returns the inputs that a file may begin with, the longest first: those whose content has
  /// `head` (``AccountedInput/head``), and those that were read from this path, or from this file
  /// under another one.
  func beginnings(head: [UInt8]?, stamp: FileStamp) throws -> [AccountedInput]
  /// Returns what was kept of an input beside its digest: the lines that were read of a damaged one
  /// (``DamagedLines/kept``), the marks of another (``ContentMarks``). It is an empty list if nothing was.
  func lines(of source: UInt32) throws -> [UInt64]
  /// Returns the latest damaged inputs that no whole copy has replaced; the earliest first.
  func damaged() throws -> [AccountedInput]
  /// Returns the time since which the file of that path has been waiting, in milliseconds since
  /// 1970, or nil if it has not.
  func waitingSince(_ path: String) throws -> Int64?
}

extension InputLedger {
  /// Returns the marks of an undamaged input.
  func marks(of source: UInt32) throws -> [UInt64] { try lines(of: source) }

  package func lines(of source: UInt32) throws -> [UInt64] { [] }

  package func damaged() throws -> [AccountedInput] { [] }

  package func waitingSince(_ path: String) throws -> Int64? { nil }
}

/// An input that was accounted for.
package struct AccountedInput: Sendable, Equatable {
  /// The most bytes of a content that its head has: a power of two.
  package static let headBytes = 4096

  /// Returns the number of bytes of a content's head: the largest power of two that it has, at most
  /// ``headBytes``, or 0 if it is empty.
  static func headLength(_ bytes: UInt64) -> Int {
    guard bytes > 0 else { return 0 }
    return min(headBytes, Int(clamping: UInt64(1) << (63 - UInt64(bytes.leadingZeroBitCount))))
  }

  /// Its number among all sources of all runs.
  package var source: UInt32
  package var name: String
  /// SHA-256 of the decompressed content, 32 bytes.
  package var sha256: [UInt8]
  /// Decompressed bytes, and the lines that were judged in them: a last one that has no end is among
  /// them, one that damage has cut off is not.
  package var bytes: UInt64
  package var lines: UInt64
  /// The bytes and lines in front of the last line if it has no end, or else all of them. If the
  /// content has grown, reading goes on there, or behind that line (``ContentScan``).
  package var resumeBytes: UInt64
  package var resumeLines: UInt64
  /// SHA-256 of the first decompressed bytes: as many as the largest power of two that came
  /// undamaged, at most ``headBytes``, or nil if none did, and of short contents in earlier versions.
  package var head: [UInt8]?
  /// True where the stream was damaged: what was lost may come yet, in a whole copy.
  package var isDamaged = false
  /// True of a damaged one that a whole copy has replaced: no other file is its whole copy.
  package var isReplaced = false
  /// False where nothing is left of the head, or damage may have garbled it before it showed: another copy may
  /// have another one.
  package var isHeadProven: Bool

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
    isHeadProven = head != nil
  }

  /// True where there is a last line without an end that was not judged: damage has cut it off.
  var endsInCutLine: Bool { resumeBytes < bytes && lines <= resumeLines }

  /// The number of that line.
  var cutLines: [UInt64] { endsInCutLine ? [resumeLines + 1] : [] }
}
