/// A pipeline file: YAML, every key of which may be left out.
package enum PipelineFile {
  /// Returns what the file says, its paths relative to its folder.
  package static func read(
    _ path: NamedPath, substitution: Substitution
  ) throws(CommandError) -> SettingsLayer {
    try read(try YAMLFile.read(path, substitution: substitution), path)
  }

  /// Returns the same of what was read from the file.
  package static func read(
    _ root: PipelineNode?, _ path: NamedPath
  ) throws(CommandError) -> SettingsLayer {
    guard let root else { return SettingsLayer() }
    return try PipelineReader(folder: SettingsFolder(ofFile: path.path)).read(root)
  }
}
