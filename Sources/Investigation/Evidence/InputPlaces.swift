internal import Files

/// The present places of the inputs of a report.
package struct InputPlaces: Sendable {
  /// The folder that the run's relative paths were relative to.
  private let folder: String
  /// Folders to look in first. Any trailing part of a path may lead to a file there.
  private let moved: [String]
  /// Whether a symbolic link at an input's path is followed.
  private let followsLinks: Bool

  package init(folder: String, moved: [String], followsLinks: Bool = false) {
    self.folder = folder
    self.moved = moved
    self.followsLinks = followsLinks
  }

  /// Returns the path of an input as a report names it, or nil if there is no such regular file.
  package func path(of source: String) -> String? {
    for place in moved {
      var parts = source.split(separator: "/")[...]
      while !parts.isEmpty {
        let path = place + "/" + parts.joined(separator: "/")
        if isFile(path) { return path }
        parts = parts.dropFirst()
      }
      // The file itself may have been named.
      if isFile(place), place.split(separator: "/").last == source.split(separator: "/").last {
        return place
      }
    }
    let path = original(source)
    return isFile(path) ? path : nil
  }

  /// Returns the kind of the entry at an input's original path if it is not a file that may be read,
  /// in a word with its article. A FIFO would wait for its writer, and data that was read from it
  /// cannot be read again. A link may lead anywhere.
  package func obstacle(at source: String) -> String? {
    guard let kind = status(original(source))?.kind, kind != .file else { return nil }
    return kind.name
  }

  private func original(_ source: String) -> String {
    source.hasPrefix("/") ? source : folder + "/" + source
  }

  private func isFile(_ path: String) -> Bool { status(path)?.kind == .file }

  private func status(_ path: String) -> FileStatus? {
    FileStatus(path: path, followsLinks: followsLinks)
  }
}
