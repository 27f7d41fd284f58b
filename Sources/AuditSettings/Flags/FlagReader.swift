/// A reader of the typed flags. Every mistake is bad usage (64).
package struct FlagReader {
  private let flags: TypedFlags
  private let substitution: Substitution

  /// The largest list of inputs, in bytes.
  private static let listLimit = 64 << 20

  /// Makes a reader. A schema file that a flag names is read with `substitution`.
  package init(flags: TypedFlags, substitution: Substitution) {
    self.flags = flags
    self.substitution = substitution
  }

  /// Returns the settings that the flags give.
  package func layer() throws(CommandError) -> SettingsLayer {
    var layer = SettingsLayer()
    for setting in SettingTable.all {
      guard let flag = setting.flag, let texts = flags.texts[flag.name] else { continue }
      try setting.read(
        FlagText(name: flag.name, texts: texts, substitution: substitution), into: &layer)
    }
    layer.inputs = try inputs(lists: layer.filesFrom ?? [])
    return layer
  }

  /// Returns the typed day that `${date}` stands for, or nil if no day was typed.
  package static func day(_ flags: TypedFlags) throws(CommandError) -> String? {
    guard let text = flags.texts["--date"]?.last else { return nil }
    return try FlagText(
      name: "--date", texts: [], substitution: Substitution(date: "", environment: [:])
    ).value(.day, of: text)
  }

  private func inputs(lists: [NamedPath]) throws(CommandError) -> [String]? {
    var inputs = flags.inputs
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
    guard inputs.allSatisfy({ !$0.isEmpty }) else {
      throw CommandError(.usage, "an input's name is empty")
    }
    guard inputs.allSatisfy({ !$0.utf8.contains(0) }) else {
      throw CommandError(
        .usage, "an input's name contains a zero byte",
        hint: "write each path of a list on a line of its own")
    }
    return inputs.isEmpty ? nil : inputs
  }
}
