import AuditEngine
import AuditReport

/// The form of a setting on the command line and in a pipeline file, and the form in which it is
/// shown.
package struct SettingForm<Value: Sendable & Equatable>: Sendable {
  /// Type and range in words, to follow "it is".
  let range: String
  /// The shape of one text on the command line.
  let shape: ValueShape
  /// The function that reads the texts after the flag.
  let fromFlag: @Sendable (FlagText) throws(CommandError) -> Value
  /// The function that reads a value of a file whose relative paths start from a folder.
  let fromFile: @Sendable (PipelineNode, SettingsFolder) throws(CommandError) -> Value
  /// The function that returns the lines that show a value.
  let show: @Sendable (Value) -> [String]
  /// The function that returns a value as reports keep it: `fromFile` reads it back. Nil if reports keep none.
  var record: (@Sendable (Value) -> RecordedValue)?
}

extension SettingForm {
  /// Makes the form of a single value.
  static func one(_ format: SettingFormat<Value>) -> SettingForm {
    SettingForm(
      range: format.range, shape: format.shape,
      fromFlag: { flag throws(CommandError) in
        try flag.value(format, of: flag.texts.last ?? "")
      },
      fromFile: { node, _ throws(CommandError) in try node.value(format) },
      show: { [format.show($0)] }, record: { .text(format.show($0)) })
  }
}

extension SettingForm<String> {
  /// The form of a path. In a file it is relative to the file's folder.
  static var path: SettingForm {
    let format = SettingFormat<String>.path
    return SettingForm(
      range: format.range, shape: format.shape,
      fromFlag: { flag throws(CommandError) in
        try flag.value(format, of: flag.texts.last ?? "")
      },
      fromFile: { node, folder throws(CommandError) in try folder.path(node) },
      show: { [$0] })
  }
}

extension SettingForm<[String]> {
  /// The form of a list of paths.
  static var paths: SettingForm {
    SettingForm(
      range: "a list of paths", shape: .path,
      fromFlag: { flag in flag.texts },
      fromFile: { node, folder throws(CommandError) in
        var paths: [String] = []
        for element in try node.elements() { paths.append(try folder.path(element)) }
        return paths
      },
      show: { $0 })
  }
}

extension SettingForm<NamedPath> {
  /// The form of the path of a file that is read later, with the place that names it.
  static var file: SettingForm {
    SettingForm(
      range: "a path", shape: .path,
      fromFlag: { flag in NamedPath(path: flag.texts.last ?? "", origin: flag.name) },
      fromFile: { node, folder throws(CommandError) in
        NamedPath(path: try folder.path(node), origin: node.origin)
      },
      show: { [$0.path] })
  }
}

extension SettingForm<[NamedPath]> {
  /// The form of paths of files that are read later, with the place that names each.
  static var files: SettingForm {
    SettingForm(
      range: "a list of paths", shape: .path,
      fromFlag: { flag in flag.texts.map { NamedPath(path: $0, origin: flag.name) } },
      fromFile: { node, folder throws(CommandError) in
        var files: [NamedPath] = []
        for element in try node.elements() {
          files.append(NamedPath(path: try folder.path(element), origin: element.origin))
        }
        return files
      },
      show: { $0.map(\.path) })
  }
}
