/// The facts about a planned file, for the process that opens it, maybe on another machine.
package struct PlannedFile: Sendable, Equatable {
  package var inode: UInt64
  /// mtime in nanoseconds since 1970.
  package var modified: Int64
  package var isLink: Bool

  package init(inode: UInt64, modified: Int64, isLink: Bool) {
    self.inode = inode
    self.modified = modified
    self.isLink = isLink
  }

  /// Examines the file at a path. Gives nil if it is not a regular file and `found` is nil. `found`
  /// is the file that was there before, if there was one: no other takes its place.
  package init?(path: String, found: FileIdentity?) {
    let (status, isLink) = FileStatus.looked(path) ?? (nil, false)
    if let status, status.kind == .file, found == nil || found == status.identity {
      self.init(inode: status.inode, modified: status.modified, isLink: isLink)
    } else if let found {
      self.init(inode: found.inode, modified: .min, isLink: isLink)
    } else {
      return nil
    }
  }

  /// Returns whether an open file is the planned one. Machines that share it agree about its inode,
  /// those that have copies about the seconds of its time.
  func isMet(by status: FileStatus?) -> Bool {
    guard let status, status.kind == .file else { return false }
    let second: Int64 = 1_000_000_000
    return status.inode == inode || status.modified / second == modified / second
  }
}
