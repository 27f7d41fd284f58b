/// A pipeline file in YAML. Every key may be left out.
package enum PipelineFile {
  /// Returns the settings of the file. Its paths are relative to its folder.
  package static func read(
    _ path: NamedPath, substitution: Substitution
  ) throws(CommandError) -> SettingsLayer {
    try read(try YAMLFile.read(path, substitution: substitution), path)
  }

  /// Returns the same from the contents of the file.
  package static func read(
    _ root: PipelineNode?, _ path: NamedPath
  ) throws(CommandError) -> SettingsLayer {
    guard let root else { return SettingsLayer() }
    return try PipelineReader(folder: SettingsFolder(ofFile: path.path)).read(root)
  }
}
