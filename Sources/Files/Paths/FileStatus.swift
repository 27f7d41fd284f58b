internal import Glibc

/// The identity of a file, whatever path leads to it.
package struct FileIdentity: Sendable, Hashable {
  package var device: UInt64
  package var inode: UInt64
}

/// The facts that stat(2) tells of a file or folder.
package struct FileStatus: Sendable {
  package enum Kind: Sendable {
    case file, folder, link, fifo, socket, device

    /// The noun with its article.
    package var name: String {
      switch self {
      case .file: "a file"
      case .folder: "a folder"
      case .link: "a link"
      case .fifo: "a FIFO"
      case .socket: "a socket"
      case .device: "a device"
      }
    }
  }

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
  /// The permissions: the lower twelve bits of the mode.
  package let permissions: UInt32
  package let owner: UInt32

  /// Equal for one file under two paths.
  package var identity: FileIdentity { FileIdentity(device: device, inode: inode) }

  init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .folder
    case S_IFLNK: kind = .link
    case S_IFIFO: kind = .fifo
    case S_IFSOCK: kind = .socket
    default: kind = .device
    }
    size = kind == .file ? UInt64(clamping: status.st_size) : 0
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    links = UInt64(status.st_nlink)
    modified = Self.nanoseconds(status.st_mtim)
    changed = Self.nanoseconds(status.st_ctim)
    permissions = UInt32(status.st_mode) & 0o7777
    owner = status.st_uid
  }

  /// Examines what a path leads to, or gives nil, with the reason in `errno`.
  package init?(path: String, followsLinks: Bool = true) {
    var status = stat()
    let result = unsafe followsLinks ? stat(path, &status) : lstat(path, &status)
    guard result == 0 else { return nil }
    self.init(status)
  }

  /// Examines what a path leads to, and whether that is a link, or gives nil as above.
  package static func looked(_ path: String) -> (status: FileStatus, isLink: Bool)? {
    guard let status = FileStatus(path: path, followsLinks: false) else { return nil }
    guard status.kind == .link else { return (status, false) }
    return FileStatus(path: path).map { ($0, true) }
  }

  /// Examines an open file. Gives nil, with the reason in `errno`, if that fails.
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
