internal import AuditLog

/// A segment that is open for reading, and whose header is the one that the database names.
struct SegmentFile: Sendable {
  let file: StateFile
  let header: SegmentHeader

  /// Opens a segment of the state in `folder`; of its content, only the header is read.
  ///
  /// - Throws: `.damaged` where the file is not there, is not as long as it was, or is another one.
  init(_ entry: SegmentEntry, in folder: StateFolder) throws(StateError) {
    guard let file = try folder.open(entry.path) else {
      throw .damaged(entry.path, "it is not there")
    }
    let bytes = try file.bytes(count: SegmentHeader.byteCount)
    guard SegmentHeader.sha256(bytes) == entry.sha256, let header = SegmentHeader(bytes),
      header.kind == entry.kind, header.run == entry.run, header.rows == entry.rows
    else { throw .damaged(entry.path, "its header is not what was written") }
    guard header.fileBytes == (try file.size()), UInt64(header.fileBytes) == entry.bytes else {
      throw .damaged(entry.path, "it is not as long as it was written")
    }
    self.file = file
    self.header = header
  }
}
