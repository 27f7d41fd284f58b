internal import Glibc

/// What tells whether a file was touched: a change of its bytes changes `changed` (ctime), which
/// nobody can set.
package struct FileStamp: Sendable, Hashable {
  /// Without symbolic links, from the root.
  package var path: String
  package var device: UInt64
  package var inode: UInt64
  package var size: UInt64
  /// mtime and ctime in nanoseconds since 1970.
  package var modified: Int64
  package var changed: Int64

  package init(
    path: String, device: UInt64, inode: UInt64, size: UInt64, modified: Int64, changed: Int64
  ) {
    self.path = path
    self.device = device
    self.inode = inode
    self.size = size
    self.modified = modified
    self.changed = changed
  }

  /// Of the file that a path leads to now; nil where it leads to no regular file.
  package init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(path: path, status)
  }

  /// Of a regular file; nil for anything else.
  init?(path: String, _ status: stat) {
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.init(
      path: Self.resolved(path), device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
      size: UInt64(clamping: status.st_size), modified: Self.nanoseconds(status.st_mtim),
      changed: Self.nanoseconds(status.st_ctim))
  }

  /// `modified` in milliseconds since 1970.
  package var modifiedMilliseconds: Int64 { modified / 1_000_000 }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    // Beyond 64 bits (the year 2262) the order is all that is left.
    let (whole, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return time.tv_sec < 0 ? .min : .max }
    return whole.addingReportingOverflow(Int64(time.tv_nsec)).overflow
      ? .max : whole + Int64(time.tv_nsec)
  }

  private static func resolved(_ path: String) -> String {
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
