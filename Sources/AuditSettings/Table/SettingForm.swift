import AuditEngine
import AuditReport

/// The form of a setting on the command line, in a pipeline file, and as it is shown.
package struct SettingForm<Value: Sendable & Equatable>: Sendable {
  /// The shape of one text on the command line.
  var shape = ValueShape.text
  /// The function that reads the texts after the flag. A setting of files alone has none.
  var fromFlag: (@Sendable (FlagText) throws(CommandError) -> Value)?
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
      shape: format.shape,
      fromFlag: { flag throws(CommandError) in try flag.value(format) },
      fromFile: { node, _ throws(CommandError) in try node.value(format) },
      show: { [format.show($0)] }, record: { .text(format.show($0)) })
  }
}

extension SettingForm<String> {
  /// The form of a path. In a file it is relative to the file's folder.
  static var path: SettingForm {
    let format = SettingFormat<String>.path
    return SettingForm(
      shape: format.shape,
      fromFlag: { flag throws(CommandError) in try flag.value(format) },
      fromFile: { node, folder throws(CommandError) in try folder.path(node) },
      show: { [$0] })
  }
}

extension SettingForm<[String]> {
  /// The form of a list of paths.
  static var paths: SettingForm {
    SettingForm(
      shape: .path,
      fromFlag: { flag in flag.texts },
      fromFile: { node, folder throws(CommandError) in
        try node.elements { (element) throws(CommandError) in try folder.path(element) }
      },
      show: { $0 })
  }
}

extension SettingForm<NamedPath> {
  /// The form of the path of a file that is read later, with the place that names it.
  static var file: SettingForm {
    SettingForm(
      shape: .path,
      fromFlag: { flag in NamedPath(path: flag.last, origin: flag.name) },
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
      shape: .path,
      fromFlag: { flag in flag.texts.map { NamedPath(path: $0, origin: flag.name) } },
      fromFile: { node, folder throws(CommandError) in
        try node.elements { (element) throws(CommandError) in
          NamedPath(path: try folder.path(element), origin: element.origin)
        }
      },
      show: { $0.map(\.path) })
  }
}
