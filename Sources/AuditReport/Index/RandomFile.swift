internal import Files

/// A file of a report that is read at any offset.
struct RandomFile {
  let path: String
  let size: UInt64
  private let file: OpenFile

  /// Opens a regular file.
  init(folder: String, name: String) throws(ReportError) {
    let (file, status) = try ReportedFile.open(folder: folder, name: name)
    path = PathText.join(folder, name)
    size = UInt64(clamping: status.size)
    self.file = file
  }

  /// Returns `count` bytes from `offset` on. They must be within the file.
  func read(at offset: UInt64, count: Int) throws(ReportError) -> [UInt8] {
    guard count >= 0, offset <= size, UInt64(count) <= size - offset else {
      throw ReportError(.invalid, "\(path) is damaged")
    }
    let bytes = try asReportError { () throws(FileError) in
      try file.bytes(at: Int(offset), limit: count)
    }
    guard bytes.count == count else { throw ReportError(.invalid, "\(path) ends too early") }
    return bytes
  }
}
