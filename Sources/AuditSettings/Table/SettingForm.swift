import AppAttest
import AuditEngine
import AuditLog
import AuditReport

/// The form of a setting on the command line, in a pipeline file, and as it is shown.
package struct SettingForm<Value: Sendable>: Sendable {
  var completion: ValueCompletion?
  /// The function that reads the texts after the flag. A setting of files alone has none.
  var fromFlag: (@Sendable (FlagText) throws(CommandError) -> Value)?
  /// The function that reads a value of a file whose relative paths start from a folder.
  let fromFile: @Sendable (PipelineNode, SettingsFolder) throws(CommandError) -> Value
  let show: @Sendable (Value) -> [String]
  /// The function that returns a value as reports keep it: `fromFile` reads it back. Nil if reports keep none.
  var record: (@Sendable (Value) -> JSONTree)?

  static func one(_ format: SettingFormat<Value>) -> SettingForm {
    SettingForm(
      completion: format.completion,
      fromFlag: { flag throws(CommandError) in try flag.value(format) },
      fromFile: { node, _ throws(CommandError) in try node.value(format) },
      show: { [format.show($0)] }, record: { .string(format.show($0)) })
  }

  /// Makes the form of a value that only files have, and that names no path.
  static func inFiles(
    _ read: @escaping @Sendable (PipelineNode) throws(CommandError) -> Value,
    show: @escaping @Sendable (Value) -> [String]
  ) -> SettingForm {
    SettingForm(fromFile: { node, _ throws(CommandError) in try read(node) }, show: show)
  }
}

extension SettingForm<String> {
  /// The form of a path. In a file it is relative to the file's folder.
  static var path: SettingForm {
    SettingForm(
      completion: .path,
      fromFlag: { flag throws(CommandError) in try flag.value(.path) },
      fromFile: { node, folder throws(CommandError) in try folder.path(node) },
      show: { [$0] })
  }
}

extension SettingForm<[String]> {
  static var paths: SettingForm {
    SettingForm(
      completion: .path,
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
      completion: .path,
      fromFlag: { flag in NamedPath(path: flag.last, origin: flag.name) },
      fromFile: { node, folder throws(CommandError) in try folder.namedPath(node) },
      show: { [$0.path] })
  }
}

extension SettingForm<[NamedPath]> {
  /// The form of paths of files that are read later, with the place that names each.
  static var files: SettingForm {
    SettingForm(
      completion: .path,
      fromFlag: { flag in flag.texts.map { NamedPath(path: $0, origin: flag.name) } },
      fromFile: { node, folder throws(CommandError) in
        try node.elements { (element) throws(CommandError) in try folder.namedPath(element) }
      },
      show: { $0.map(\.path) })
  }
}

extension SettingForm<SchemaFile> {
  /// The form of a schema: the name of a shipped one, a path, or the mapping itself.
  static var schema: SettingForm {
    SettingForm(
      fromFlag: { flag throws(CommandError) in
        try SchemaFile.named(
          try flag.value(.path), origin: flag.name, key: "",
          folder: "", status: .usage, substitution: flag.substitution)
      },
      fromFile: { node, folder throws(CommandError) in
        guard node.isScalar else {
          return try SchemaFileReader.read(node, name: LogSchema.inlineName)
        }
        return try SchemaFile.named(
          try node.text(), origin: node.origin, key: node.key, folder: folder.path,
          substitution: node.context.substitution)
      },
      show: { [$0.definition.name] })
  }
}

extension SettingForm<[AppPolicy]> {
  /// The form of apps: App IDs, and in a file the accepted values of each app.
  static var apps: SettingForm {
    SettingForm(
      fromFlag: { flag throws(CommandError) in
        var apps: [AppPolicy] = []
        for text in flag.texts {
          let id = try SettingFormat.appID.value(text, of: flag.name)
          if !apps.contains(where: { $0.id == id }) { apps.append(AppPolicy(id: id)) }
        }
        return apps
      },
      fromFile: { node, folder throws(CommandError) in
        try AppListReader.read(node, in: folder)
      },
      show: { $0.map(AppListReader.words) },
      record: { .array($0.map(AppListReader.recorded)) })
  }
}

extension SettingForm<[FindingCode: Severity]> {
  static var severities: SettingForm {
    SettingForm(
      fromFile: { node, _ throws(CommandError) in
        var severities: [FindingCode: Severity] = [:]
        let members = try node.members(FindingCode.allCases.map(\.name))
        for (name, value) in members.sorted(by: { $0.value.line < $1.value.line }) {
          if let code = FindingCode(name: name) { severities[code] = try value.value(.severity) }
        }
        return severities
      },
      show: { ordered($0).map { "\($0.key.name) is \($0.value.name)" } },
      record: { severities in
        let listed = ordered(severities)
        return .object(listed.map { ($0.key.name, .string($0.value.name)) })
      })
  }

  private static func ordered(_ severities: Value) -> [Value.Element] {
    severities.sorted { $0.key.rawValue < $1.key.rawValue }
  }
}

extension SettingForm<RefusalPolicy> {
  /// The form of what refuses a request, a severity or codes, shown if it is set.
  static var refusal: SettingForm {
    .inFiles { node throws(CommandError) in
      guard node.isList else { return .severity(try node.value(.severity)) }
      return .codes(
        try node.elements { (element) throws(CommandError) in
          let code = try AcceptedFindingReader.code(element)
          try element.require(
            RefusalPolicy.possible.contains(code),
            "\(code.name) is not about a request that can be refused")
          return code
        })
    } show: { policy in
      switch policy {
      case .severity(.high): []
      case .severity(let severity): [severity.name]
      case .codes(let codes): [codes.map(\.name).joined(separator: ", ")]
      }
    }
  }
}

extension SettingForm<[FindingFormat]> {
  /// The form of a list of formats of findings, separated by commas on the command line.
  static var findingFormats: SettingForm {
    SettingForm(
      fromFlag: { flag throws(CommandError) in try flag.value(.findingFormats) },
      fromFile: { node, _ throws(CommandError) in
        try node.values(SettingFormat<FindingFormat>.cases)
      },
      show: { $0.isEmpty ? [] : [SettingFormat.findingFormats.show($0)] })
  }
}

extension SettingForm<[ExpectedInput]> {
  /// The form of the list of expected inputs. `lines` is 1 unless it is given.
  static var expected: SettingForm {
    SettingForm(
      fromFile: { node, folder throws(CommandError) in
        try node.elements { (element) throws(CommandError) in
          let members = try element.members(["inputs", "lines"])
          let inputs = try element.needed(
            "inputs", of: members, "an expected input needs a path or glob",
            hint: "write inputs: PATH")
          return ExpectedInput(
            entry: try inputs.verbatim(), path: try folder.path(inputs),
            lines: try members["lines"]?.value(.number(1...1_000_000_000_000)) ?? 1)
        }
      },
      show: { $0.map { "\($0.path): at least \($0.lines) \($0.lines == 1 ? "line" : "lines")" } })
  }
}
