/// A pipeline file: YAML, every key of which may be left out.
enum PipelineFile {
  /// What the file says, its paths relative to its folder.
  static func read(
    _ path: NamedPath, substitution: Substitution
  ) throws(CommandError) -> SettingsLayer {
    try read(try YAMLFile.read(path, substitution: substitution), path)
  }

  /// The same of what was read from the file.
  static func read(_ root: PipelineNode?, _ path: NamedPath) throws(CommandError) -> SettingsLayer {
    guard let root else { return SettingsLayer() }
    return try PipelineReader(folder: folder(of: path.path)).read(root)
  }

  /// The folder that a file's relative paths start from, with a slash at its end; empty for the
  /// working directory.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return String(path[...slash])
  }
}
