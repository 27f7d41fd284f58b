internal import Glibc

/// Which links in an input folder are followed: those that stay in it, and all where the user says so.
///
/// Whoever can write into a folder of logs can put a link there to a file that only the audit may read.
struct LinkBounds {
  /// The folder without links; empty where it cannot be found out.
  private let root: String
  private let followsAll: Bool

  /// - `folder`: The input folder as it was named, empty for the current one.
  init(folder: String, followsAll: Bool) {
    root = Self.resolved(folder.isEmpty ? "." : folder) ?? ""
    self.followsAll = followsAll
  }

  /// Whether what a link leads to is an input.
  func admit(_ link: String) -> Bool {
    if followsAll { return true }
    guard !root.isEmpty, let target = Self.resolved(link) else { return false }
    return target == root || target.hasPrefix(root == "/" ? root : root + "/")
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
