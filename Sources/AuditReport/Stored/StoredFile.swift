internal import AppAttest
internal import AuditLog
internal import Files

/// A file of a stored report, while it is read from its beginning to its end.
struct StoredFile: ~Copyable {
  /// The number of bytes read at once.
  private static let chunkBytes = 1 << 20
  /// The length of the longest line that is accepted, in bytes.
  private static let lineLimit = 256 << 20

  let path: String
  /// The permissions of the file.
  let mode: UInt32
  private let file: OpenFile
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  private(set) var lineNumber: UInt64 = 0

  /// Opens a regular file. No link leads out of the report.
  init(folder: String, name: String) throws(ReportError) {
    let (file, status) = try ReportedFile.open(folder: folder, name: name)
    path = PathText.join(folder, name)
    mode = status.permissions
    self.file = file
    file.readsAhead()
  }

  /// Returns the next bytes, or none at the end.
  mutating func next() throws(ReportError) -> [UInt8] {
    if start < buffer.count {
      let rest = Array(buffer[start...])
      buffer.removeAll(keepingCapacity: true)
      start = 0
      return rest
    }
    return try read()
  }

  /// Returns the next line without its LF, or nil at the end of the file.
  mutating func nextLine() throws(ReportError) -> ArraySlice<UInt8>? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        let line = buffer[start..<end]
        start = end + 1
        lineNumber += 1
        return line
      }
      if isAtEnd {
        guard start < buffer.count else { return nil }
        let line = buffer[start...]
        start = buffer.count
        lineNumber += 1
        return line
      }
      guard buffer.count - start <= Self.lineLimit else {
        throw ReportError(.invalid, "\(path): line \(lineNumber + 1) is too long")
      }
      buffer.removeFirst(start)
      start = 0
      searched = buffer.count
      let bytes = try read()
      if bytes.isEmpty { isAtEnd = true } else { buffer += bytes }
    }
  }

  /// Returns the whole file, which may have at most `limit` bytes.
  consuming func whole(limit: Int) throws(ReportError) -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let bytes = try next()
      if bytes.isEmpty { return all }
      all += bytes
      guard all.count <= limit else { throw ReportError(.invalid, "\(path) is too long") }
    }
  }

  private func read() throws(ReportError) -> [UInt8] {
    try asReportError { () throws(FileError) in try file.readNext(limit: Self.chunkBytes) }
  }
}

/// The files of stored reports.
enum ReportedFile {
  /// Opens a regular file of a report.
  static func open(
    folder: String, name: String
  ) throws(ReportError) -> (file: OpenFile, status: FileStatus) {
    let path = PathText.join(folder, name)
    let file: OpenFile?
    do throws(FileError) { file = try Folder(path: folder).open(name) } catch {
      throw ReportError(.invalid, error.message)
    }
    guard let file else { throw ReportError(.invalid, "\(path) is not there") }
    guard let status = file.status, status.kind == .file else {
      throw ReportError(.invalid, "\(path) is not a regular file")
    }
    return (file, status)
  }
}
