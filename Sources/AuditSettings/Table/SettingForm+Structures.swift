import AppAttest
import AuditEngine
import AuditLog
import AuditReport

extension SettingForm<Int> {
  /// The form of the file format's version, which is 1.
  static var version: SettingForm {
    SettingForm(
      fromFile: { node, _ throws(CommandError) in
        guard try node.text() == "1" else { throw node.error("this program reads version 1") }
        return 1
      },
      show: { [String($0)] })
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

extension SettingForm<[SchemaTest]> {
  /// The form of schema tests: lines, each with its expected result.
  static var tests: SettingForm {
    SettingForm(
      fromFile: { node, _ throws(CommandError) in try SchemaTestReader.read(node) },
      show: { ["\($0.count)"] })
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
      record: { .list($0.map(AppListReader.recorded)) })
  }
}

extension SettingForm<[FindingCode: Severity]> {
  /// The form of severities, one for each of some codes.
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
      show: { severities in
        severities.sorted { $0.key.rawValue < $1.key.rawValue }
          .map { "\($0.key.name) is \($0.value.name)" }
      },
      record: { severities in
        let listed = severities.sorted { $0.key.rawValue < $1.key.rawValue }
        return .members(listed.map(\.key.name), listed.map { .text($0.value.name) })
      })
  }
}

extension SettingForm<RefusalPolicy> {
  /// The form of what refuses a request, a severity or codes, shown if it is set.
  static var refusal: SettingForm {
    SettingForm(
      fromFile: { node, _ throws(CommandError) in
        guard node.isList else { return .severity(try node.value(.severity)) }
        return .codes(
          try node.elements { (element) throws(CommandError) in
            let code = try AcceptedFindingReader.code(element)
            guard RefusalPolicy.possible.contains(code) else {
              throw element.error("\(code.name) is not about a request that can be refused")
            }
            return code
          })
      },
      show: { policy in
        switch policy {
        case .severity(.high): []
        case .severity(let severity): [severity.name]
        case .codes(let codes): [codes.map(\.name).joined(separator: ", ")]
        }
      })
  }
}

extension SettingForm<[FindingFormat]> {
  /// The form of a list of formats of findings, separated by commas on the command line.
  static var findingFormats: SettingForm {
    let format = SettingFormat<[FindingFormat]>.findingFormats
    return SettingForm(
      fromFlag: { flag throws(CommandError) in
        try flag.value(format)
      },
      fromFile: { node, _ throws(CommandError) in
        try node.values(SettingFormat<FindingFormat>.cases)
      },
      show: { formats in formats.isEmpty ? [] : [format.show(formats)] })
  }
}

extension SettingForm<[AcceptedFinding]> {
  /// The form of the list of findings that were looked into.
  static var accepted: SettingForm {
    SettingForm(
      fromFile: { node, _ throws(CommandError) in try AcceptedFindingReader.read(node) },
      show: { ["\($0.count)"] })
  }
}

extension SettingForm<[ExpectedInput]> {
  /// The form of the list of expected inputs. `lines` is 1 unless it is given.
  static var expected: SettingForm {
    let lines = SettingFormat<Int>.number(1...1_000_000_000_000)
    return SettingForm(
      fromFile: { node, folder throws(CommandError) in
        try node.elements { (element) throws(CommandError) in
          let members = try element.members(["inputs", "lines"])
          guard let inputs = members["inputs"] else {
            throw element.error(
              "an expected input needs a path or glob", hint: "write inputs: PATH")
          }
          return ExpectedInput(
            entry: try inputs.verbatim(), path: try folder.path(inputs),
            lines: UInt64(try members["lines"]?.value(lines) ?? 1))
        }
      },
      show: { $0.map { "\($0.path): at least \($0.lines) \($0.lines == 1 ? "line" : "lines")" } })
  }
}
