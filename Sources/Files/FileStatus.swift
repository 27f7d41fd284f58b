internal import Glibc

/// The facts that stat(2) tells of a file or folder.
package struct FileStatus: Sendable {
  package enum Kind: Sendable { case file, folder, link, other }

  package let kind: Kind
  /// Bytes in a file; 0 of anything else.
  package let size: UInt64
  package let device: UInt64
  package let inode: UInt64
  /// The number of names that the file has.
  package let links: UInt64
  /// mtime and ctime in nanoseconds since 1970.
  package let modified: Int64
  package let changed: Int64

  /// Device and inode: equal for one file under two paths.
  package var identity: [UInt64] { [device, inode] }

  init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .folder
    case S_IFLNK: kind = .link
    default: kind = .other
    }
    size = kind == .file ? UInt64(clamping: status.st_size) : 0
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    links = UInt64(status.st_nlink)
    modified = Self.nanoseconds(status.st_mtim)
    changed = Self.nanoseconds(status.st_ctim)
  }

  /// Looks at what a path leads to; nil, with the reason in `errno`, where it leads nowhere. A
  /// symbolic link is followed unless `followsLinks` says otherwise.
  package init?(path: String, followsLinks: Bool = true) {
    var status = stat()
    let result = unsafe followsLinks ? stat(path, &status) : lstat(path, &status)
    guard result == 0 else { return nil }
    self.init(status)
  }

  /// Looks at an open file; nil, with the reason in `errno`, where that fails.
  init?(descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    // Beyond 64 bits (the year 2262) the order is all that is left.
    let (whole, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return time.tv_sec < 0 ? .min : .max }
    return whole.addingReportingOverflow(Int64(time.tv_nsec)).overflow
      ? .max : whole + Int64(time.tv_nsec)
  }
}
