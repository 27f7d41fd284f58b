internal import Files

/// The facts that tell whether a file was touched. A change of its bytes changes `changed` (ctime),
/// which nobody can set.
package struct FileStamp: Sendable, Hashable {
  /// The path without symbolic links, from the root.
  package var path: String
  package var device: UInt64
  package var inode: UInt64
  package var size: UInt64
  /// mtime and ctime in nanoseconds since 1970.
  package var modified: Int64
  package var changed: Int64

  /// `modified` in milliseconds since 1970.
  package var modifiedMilliseconds: Int64 { modified / 1_000_000 }
}

extension FileStamp {
  package init() { self.init(path: "", device: 0, inode: 0, size: 0, modified: 0, changed: 0) }

  /// Makes the stamp of the file that a path leads to now, or gives nil if it leads to no regular
  /// file.
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
  /// Returns what tells later whether the file was touched, or nil if it is not a regular file.
  /// `path` is the one it was opened by.
  func stamp(path: String) -> FileStamp? { status.flatMap { FileStamp(path: path, $0) } }
}
