internal import Glibc

/// What tells one file from all others, whatever path leads to it.
package struct FileIdentity: Sendable, Hashable {
  package var device: UInt64
  package var inode: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

/// What `stat` tells of a path.
struct FileStatus {
  enum Kind {
    case file, folder, fifo, socket, device

    /// Why a thing of this kind in a folder is no input, as one clause of English.
    var refusal: String {
      let name =
        switch self {
        case .file: "a file"
        case .folder: "a folder"
        case .fifo: "a FIFO"
        case .socket: "a socket"
        case .device: "a device"
        }
      return "it is \(name), which is read only where it is named itself"
    }
  }
  let kind: Kind
  let size: UInt64
  let identity: FileIdentity

  /// Follows symbolic links; nil where the path leads nowhere, with the reason in `errno`.
  init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .folder
    case S_IFIFO: kind = .fifo
    case S_IFSOCK: kind = .socket
    default: kind = .device
    }
    size = kind == .file ? UInt64(clamping: status.st_size) : 0
    identity = FileIdentity(status)
  }

  /// What a path leads to, and whether it is a link; nil where it leads nowhere, with the reason in
  /// `errno`.
  static func looked(_ path: String) -> (status: FileStatus, isLink: Bool)? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFLNK else { return (FileStatus(status), false) }
    return FileStatus(path: path).map { ($0, true) }
  }
}
