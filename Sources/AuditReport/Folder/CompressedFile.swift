internal import Compression
internal import Files

/// A file of a report that is compressed with zstd while it is written.
struct CompressedFile: ~Copyable {
  /// The buffer for the encoder's output, until it is written.
  private final class Sink {
    var bytes: [UInt8] = []
  }

  private var file: OutputFile
  private let sink: Sink
  private let encoder: ZstdEncoder
  /// The rows not yet compressed. Call ``flushIfFull()`` after each.
  var rows = RowBuffer(capacity: OutputFile.rowsBytes)

  init(_ file: consuming OutputFile) throws {
    let sink = Sink()
    encoder = try ZstdEncoder { piece in
      for index in piece.indices { sink.bytes.append(piece[index]) }
    }
    self.sink = sink
    self.file = file
  }

  /// Compresses the buffer once it is full.
  @inline(__always)
  mutating func flushIfFull() throws {
    if rows.count >= OutputFile.bufferBytes { try flush() }
  }

  private mutating func flush() throws {
    var full = RowBuffer()
    swap(&full, &rows)
    let bytes = full.piece
    try encoder.write(bytes.span)
    full.removeAll(keeping: OutputFile.rowsBytes)
    swap(&full, &rows)
    try drain()
  }

  private mutating func drain() throws(AuditError) {
    let piece = sink.bytes
    sink.bytes = []
    try file.write(piece.span)
  }

  /// Ends the frame and the file.
  consuming func finish() throws -> ManifestEntry {
    try flush()
    try encoder.finish()
    try drain()
    return try file.finish()
  }
}
