/// The links in a folder that are followed: those that stay in it, and all if the user says so.
///
/// Whoever can write into a folder can put a link there to a file that only the reader may open.
package struct LinkBounds: Sendable {
  /// The folder without links, or empty if it cannot be found out.
  private let root: String
  private let followsAll: Bool

  /// Makes the bounds of a folder.
  ///
  /// - Parameter folder: The folder as it was named, empty for the current one.
  package init(folder: String, followsAll: Bool) {
    root = PathText.resolved(folder.isEmpty ? "." : folder) ?? ""
    self.followsAll = followsAll
  }

  /// Returns whether a link is followed.
  package func admit(_ link: String) -> Bool {
    if followsAll { return true }
    guard !root.isEmpty, let target = PathText.resolved(link) else { return false }
    return target == root || target.hasPrefix(root == "/" ? root : root + "/")
  }
}
