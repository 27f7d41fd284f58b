/// A change of one setting, as `--set key=value` has it. The value is YAML.
package enum SettingChange {
  /// Returns the layer of a change. Every mistake is bad usage (64).
  package static func read(
    _ text: String, substitution: Substitution
  ) throws(CommandError) -> SettingsLayer {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard parts.count == 2 else {
      throw CommandError(
        .usage, "--set: '\(text)' has no value", hint: "write --set detect.retryTolerance=5s")
    }
    let settings = SettingTable.all.filter { $0.path != nil && $0.isOfPolicy }
    guard let setting = settings.first(where: { $0.path == name }) else {
      let names = settings.compactMap(\.path)
      let nearest = NearestName.of(name, among: names)
      throw CommandError(
        .usage, "--set: no setting of a policy is called '\(name)'",
        hint: nearest.map { "did you mean '\($0)'?" } ?? "use one of: "
          + names.joined(separator: ", "))
    }
    let context = PipelineNode.Context(file: "--set", substitution: substitution)
    var layer = SettingsLayer()
    do throws(CommandError) {
      guard let root = try YAMLFile.read(String(parts[1]), context: context) else {
        throw CommandError(.usage, "--set: \(name) has no value")
      }
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
