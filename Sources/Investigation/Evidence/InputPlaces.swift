internal import Files

/// The present places of the inputs of a report.
package struct InputPlaces: Sendable {
  /// The folder that the run's relative paths were relative to.
  private let folder: String
  /// Folders to look in first. Any trailing part of a path may lead to a file there.
  private let moved: [String]

  package init(folder: String, moved: [String]) {
    self.folder = folder
    self.moved = moved
  }

  /// Returns the path of an input as a report names it, or nil if there is no such regular file.
  package func path(of source: String) -> String? {
    for place in moved {
      var parts = source.split(separator: "/")[...]
      while !parts.isEmpty {
        let path = place + "/" + parts.joined(separator: "/")
        if Self.isFile(path) { return path }
        parts = parts.dropFirst()
      }
      // The file itself may have been named.
      if Self.isFile(place), place.split(separator: "/").last == source.split(separator: "/").last {
        return place
      }
    }
    let path = original(source)
    return Self.isFile(path) ? path : nil
  }

  /// Returns the kind of the entry at an input's original path if it is no file, in a word with its
  /// article. A FIFO would wait for its writer, and data that was read from it cannot be read
  /// again.
  package func obstacle(at source: String) -> String? {
    guard let kind = FileStatus(path: original(source))?.kind, kind != .file else { return nil }
    return kind.name
  }

  private func original(_ source: String) -> String {
    source.hasPrefix("/") ? source : folder + "/" + source
  }

  private static func isFile(_ path: String) -> Bool { FileStatus(path: path)?.kind == .file }
}
