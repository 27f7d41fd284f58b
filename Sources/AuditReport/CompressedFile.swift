/// A file of a report that is compressed with zstd on its way.
struct CompressedFile: ~Copyable {
  private var file: OutputFile
  /// The rows not yet compressed; call ``flushIfFull()`` after each.
  var rows = RowBuffer(capacity: OutputFile.bufferBytes + (16 << 10))

  init(_ file: consuming OutputFile) throws(ReportError) {
    self.file = file
  }

  /// Compresses the buffer once it is full.
  @inline(__always)
  mutating func flushIfFull() throws(ReportError) {
    if rows.count >= OutputFile.bufferBytes { try flush() }
  }

  private mutating func flush() throws(ReportError) {
    var full = RowBuffer()
    swap(&full, &rows)
    try file.write(full.bytes.span)
    full.removeAll()
    swap(&full, &rows)
  }

  /// Ends the frame and the file.
  consuming func finish() throws(ReportError) -> ManifestEntry {
    try flush()
    return try file.finish()
  }
}
