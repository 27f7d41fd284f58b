internal import AppAttest
internal import AuditLog
internal import Files

/// A file of a stored report, while it is read from its beginning to its end.
struct StoredFile: ~Copyable {
  private static let chunkBytes = 1 << 20
  private static let lineLimit = 256 << 20

  let path: String
  let mode: UInt32
  private let file: OpenFile
  private var lines = LineReader()

  var lineNumber: UInt64 { lines.number }

  /// Opens a regular file. No link leads out of the report.
  init(folder: String, name: String) throws(AuditError) {
    let (file, status) = try Self.open(folder: folder, name: name)
    path = PathText.join(folder, name)
    mode = status.permissions
    self.file = file
    file.readsAhead()
  }

  /// Returns the next bytes, or none at the end. Do not call it behind ``nextLine()``.
  func next() throws(AuditError) -> [UInt8] { try file.readNext(limit: Self.chunkBytes) }

  /// Returns the next line without its LF, or nil at the end of the file.
  mutating func nextLine() throws(AuditError) -> ArraySlice<UInt8>? {
    let (file, path) = (file, path)
    return try lines.next(limit: Self.lineLimit) {
      AuditError(.invalid, "\(path): line \($0) is too long")
    } read: { () throws(AuditError) in
      try file.readNext(limit: Self.chunkBytes)
    }
  }

  consuming func whole(limit: Int) throws(AuditError) -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let bytes = try next()
      if bytes.isEmpty { return all }
      all += bytes
      guard all.count <= limit else { throw AuditError(.invalid, "\(path) is too long") }
    }
  }

  static func open(
    folder: String, name: String
  ) throws(AuditError) -> (file: OpenFile, status: FileStatus) {
    let path = PathText.join(folder, name)
    let file: OpenFile?
    do throws(AuditError) { file = try Folder(path: folder).open(name) } catch {
      throw AuditError(.invalid, error.context)
    }
    guard let file else { throw AuditError(.invalid, "\(path) is not there") }
    guard let status = file.status, status.kind == .file else {
      throw AuditError(.invalid, "\(path) is not a regular file")
    }
    return (file, status)
  }
}
