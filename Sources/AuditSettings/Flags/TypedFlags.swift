/// The flags of `audit` as they were typed: texts that are not yet parsed.
package struct TypedFlags: Sendable, Equatable {
  /// Files, folders, globs, or `-`, which are given without a flag.
  package var inputs: [String]
  /// The texts after each flag, by its name with the dashes; `true` for a flag without a value.
  package var texts: [String: [String]]

  package init(inputs: [String] = [], texts: [String: [String]] = [:]) {
    self.inputs = inputs
    self.texts = texts
  }
}

/// The form of a flag: `--overwrite`, `--out <folder>`, or the repeatable `--app-id <id>...`.
package struct FlagForm: Sendable, Equatable, ExpressibleByStringLiteral {
  /// The flag with its dashes.
  package let name: String
  /// The word that stands for the value, or nil for a switch.
  package let valueName: String?
  package let isRepeatable: Bool

  package init(stringLiteral text: String) {
    let words = text.split(separator: " ", maxSplits: 1)
    name = String(words.first ?? "")
    isRepeatable = text.hasSuffix("...")
    valueName = words.count < 2 ? nil : words[1].filter { !"<>.".contains($0) }
  }
}

/// The words that were typed after a flag, however often it was given.
package struct FlagText: Sendable {
  let name: String
  let texts: [String]
  /// The text that replaces `${…}` in a schema file that the flag names.
  let substitution: Substitution

  var last: String { texts.last ?? "" }

  /// Returns the value of the last text. Throws bad usage for a text that is not allowed.
  func value<Value>(_ format: SettingFormat<Value>) throws(CommandError) -> Value {
    try format.value(last, of: name)
  }
}

/// The reading of the typed flags. Every mistake is bad usage (64).
extension TypedFlags {
  private static let listLimit = 64 << 20

  /// Returns the settings that the flags give. A schema file that a flag names is read with `substitution`.
  package func layer(_ substitution: Substitution) throws(CommandError) -> SettingsLayer {
    var layer = SettingsLayer()
    for setting in SettingTable.all {
      guard let flag = setting.flag, let texts = texts[flag.name] else { continue }
      try setting.read(
        FlagText(name: flag.name, texts: texts, substitution: substitution), into: &layer)
    }
    layer.inputs = try inputs(lists: layer.filesFrom ?? [])
    return layer
  }

  package func day() throws(CommandError) -> String? {
    try SettingFormat<String>.day.value(texts["--date"]?.last, of: "--date")
  }

  private func inputs(lists: [NamedPath]) throws(CommandError) -> [String]? {
    var inputs = inputs
    for list in lists {
      if list.path == "-", inputs.contains("-") {
        throw CommandError(
          .usage, "\(list.origin): standard input cannot be both the list and an input")
      }
      let bytes = try list.read(limit: Self.listLimit, status: .usage)
      inputs += bytes.split(separator: 0x0A).compactMap { line in
        let text = String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        return text.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? nil : text
      }
    }
    try CommandError.require(inputs.allSatisfy({ !$0.isEmpty }), "an input's name is empty")
    try CommandError.require(
      inputs.allSatisfy({ !$0.utf8.contains(0) }), "an input's name contains a zero byte",
      hint: "write each path of a list on a line of its own")
    return inputs.isEmpty ? nil : inputs
  }
}

/// A change of one setting, as `--set key=value` has it. The value is YAML.
package enum SettingChange {
  /// Returns the layer of a change. Every mistake is bad usage (64).
  package static func read(
    _ text: String, substitution: Substitution
  ) throws(CommandError) -> SettingsLayer {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    try CommandError.require(
      parts.count == 2, "--set: '\(text)' has no value",
      hint: "write --set detect.retryTolerance=5s")
    let settings = SettingTable.all.filter { $0.path != nil && $0.isOfPolicy }
    guard let setting = settings.first(where: { $0.path == name }) else {
      let names = settings.compactMap(\.path)
      throw CommandError(
        .usage, "--set: no setting of a policy is called '\(name)'",
        hint: NearestName.hint(name, among: names)
          ?? "use one of: " + names.joined(separator: ", "))
    }
    let context = PipelineNode.Context(file: "--set", substitution: substitution)
    var layer = SettingsLayer()
    do throws(CommandError) {
      let root = try YAMLFile.read(String(parts[1]), context: context)
      try CommandError.require(!root.isNull, "--set: \(name) has no value")
      let node = PipelineNode(node: root.node, key: name, context: context)
      try setting.read(node, in: SettingsFolder(ofFile: ""), into: &layer)
    } catch {
      throw CommandError(
        .usage, error.message.replacing("--set:1:", with: "--set:"), hint: error.hint)
    }
    return layer
  }
}

extension AnySetting {
  /// Whether the setting decides on requests, and not how lines are read or where results go.
  package var isOfPolicy: Bool { topic == .trust || topic == .detection }
}
