internal import Files

/// The facts that show whether a file was changed. Nobody can set `changed` (ctime).
package struct FileStamp: Sendable, Hashable {
  /// The path without symbolic links, from the root.
  package var path: String
  package var device: UInt64
  package var inode: UInt64
  package var size: UInt64
  /// mtime and ctime in nanoseconds since 1970.
  package var modified: Int64
  package var changed: Int64

  package var modifiedMilliseconds: Int64 { modified / 1_000_000 }
}

extension FileStamp {
  package init() { self.init(path: "", device: 0, inode: 0, size: 0, modified: 0, changed: 0) }

  /// Makes the stamp of the file at a path, or gives nil if it is not a regular file.
  package init?(path: String) {
    guard let status = FileStatus(path: path) else { return nil }
    self.init(path: path, status)
  }

  /// Makes the stamp of a regular file, or gives nil for any other file.
  init?(path: String, _ status: FileStatus) {
    guard status.kind == .file else { return nil }
    self.init(
      path: PathText.resolved(path) ?? path, device: status.device, inode: status.inode,
      size: status.size, modified: status.modified, changed: status.changed)
  }
}

extension OpenFile {
  /// Returns the stamp of the file, which was opened by `path`, or nil if it is not a regular file.
  func stamp(path: String) -> FileStamp? { status.flatMap { FileStamp(path: path, $0) } }
}
