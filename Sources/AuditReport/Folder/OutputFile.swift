internal import AppAttest
internal import Basics
internal import Compression
internal import Files
internal import OpenSSL

/// One file of a report while it is written. It is hashed on the way, and closed when destroyed.
struct OutputFile: ~Copyable {
  static let bufferBytes = 256 << 10

  /// The bytes that the buffer holds memory for: those, and an ordinary row.
  static let rowsBytes = bufferBytes + (16 << 10)

  /// The bytes that are sent to the disk at once, long before the file ends.
  private static let windowBytes: UInt64 = 8 << 20

  private let file: OpenFile
  private let path: String
  private let cancellation: Cancellation<AuditError>
  private var hash = SHA256Stream()
  private var size: UInt64 = 0
  /// The encoder of a file that is compressed, and the bytes that it gave and that are not written yet.
  private var encoder: ZstdEncoder?
  private let packed = PackedBytes()
  /// The bytes whose way to the disk has begun: windows of ``windowBytes``.
  private var started: UInt64 = 0
  /// The rows not yet written. Call ``flushIfFull()`` after each.
  var rows = RowBuffer()

  /// Makes a file to write from its beginning. `folder` is the report that it becomes a part of, if any.
  init(_ file: OpenFile, in folder: String? = nil, cancellation: Cancellation<AuditError>) {
    self.file = file
    path = folder.map { PathText.join($0, file.name) } ?? file.name
    self.cancellation = cancellation
  }

  var name: String { file.name }

  mutating func compress() throws {
    encoder = try ZstdEncoder { [packed] piece in packed.bytes += piece.copied() }
  }

  private mutating func writePacked(_ encode: () throws -> Void) throws(AuditError) {
    do { try encode() } catch { throw AuditError(.memory, "cannot compress \(path)") }
    let piece = packed.bytes
    packed.bytes = []
    try write(piece.span)
  }

  @inline(__always)
  mutating func flushIfFull() throws(AuditError) {
    if rows.count >= Self.bufferBytes { try flush() }
  }

  mutating func flush() throws(AuditError) {
    var full = RowBuffer()
    swap(&full, &rows)
    let bytes = full.piece
    if let encoder {
      try writePacked { try encoder.write(bytes.span) }
    } else {
      try write(bytes.span)
    }
    full.removeAll(keeping: Self.rowsBytes)
    swap(&full, &rows)
  }

  /// Writes a JSON document and a line end, however long it is, through the buffer.
  mutating func write(_ document: JSONTree) throws(AuditError) {
    var rows = RowBuffer()
    swap(&rows, &self.rows)
    try document.write(to: &rows) { rows throws(AuditError) in
      guard rows.count >= Self.bufferBytes else { return }
      let bytes = rows.piece
      try write(bytes.span)
      rows.removeAll()
    }
    rows.append(ascii: "\n")
    swap(&rows, &self.rows)
  }

  /// Writes bytes past the buffer, which must be empty.
  mutating func write(_ bytes: Span<UInt8>) throws(AuditError) {
    try cancellation.check()
    unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
    try told { () throws(AuditError) in try file.append(bytes) }
    size += UInt64(bytes.count)
    while size - started >= Self.windowBytes {
      let window = Int(started / Self.windowBytes)
      try told { () throws(AuditError) in
        try file.writeOut(window: window, bytes: Int(Self.windowBytes))
      }
      started += Self.windowBytes
    }
  }

  private func told(_ body: () throws(AuditError) -> Void) throws(AuditError) {
    do throws(AuditError) { try body() } catch {
      throw error.told("cannot write", path)
    }
  }

  /// Writes the remaining bytes and sends the file to the disk. Returns its entry in the manifest.
  mutating func finish() throws(AuditError) -> ManifestEntry {
    try flush()
    if let encoder { try writePacked { try encoder.finish() } }
    try told { () throws(AuditError) in try file.flush() }
    return ManifestEntry(name: name, size: size, sha256: Digest256(hash.digest()))
  }
}

private final class PackedBytes {
  var bytes: [UInt8] = []
}
