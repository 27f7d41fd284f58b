import Files

/// The folder of a pipeline file, from which its relative paths start.
package struct SettingsFolder: Sendable, Equatable {
  /// The folder with a slash at its end, or empty for the working directory.
  package let path: String

  /// Makes the folder of the file at `path`.
  package init(ofFile path: String) {
    self.path = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// Returns the path that a value names. `-` is left unchanged.
  func path(_ node: PipelineNode) throws(CommandError) -> String {
    let name = try node.value(.path)
    return name.hasPrefix("/") || name == "-" ? name : join(name)
  }

  /// Returns the path of a relative name, with `.` and `..` at the name's beginning folded into the
  /// folder.
  private func join(_ name: String) -> String {
    var folder = path
    var rest = name[...]
    while !rest.isEmpty {
      let step = rest.prefix { $0 != "/" }
      if step == ".." {
        guard let parent = Self.parent(folder) else { break }
        folder = parent
      } else if step != "." {
        break
      }
      rest = rest[step.endIndex...].drop { $0 == "/" }
    }
    // `-` alone would be standard input.
    guard rest.isEmpty else { return folder + rest == "-" ? "./-" : folder + rest }
    return folder.isEmpty ? "." : folder == "/" ? folder : String(folder.dropLast())
  }

  /// Returns the folder that contains a folder, or nil if its name does not tell: after a symbolic
  /// link `..` leads elsewhere.
  private static func parent(_ folder: String) -> String? {
    guard let last = folder.lastIndex(where: { $0 != "/" }) else { return nil }
    let path = folder[...last]
    let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    guard !["", ".", ".."].contains(path[start...]) else { return nil }
    guard FileStatus(path: String(path), followsLinks: false)?.kind == .folder else { return nil }
    return String(path[..<start])
  }
}
