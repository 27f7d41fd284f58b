/// The folder of a pipeline file, from which its relative paths start.
package struct SettingsFolder: Sendable, Equatable {
  /// The folder with a slash at its end; empty for the working directory.
  package let path: String

  /// Makes the folder of the file at `path`.
  package init(ofFile path: String) {
    self.path = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// Returns the path that a value names; `-` stays what it is.
  func path(_ node: PipelineNode) throws(CommandError) -> String {
    let name = try node.value(.path)
    return name.hasPrefix("/") || name == "-" ? name : path + name
  }
}
