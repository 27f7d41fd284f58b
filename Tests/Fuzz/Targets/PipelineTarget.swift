import AuditSettings

/// A pipeline file: settings, or one clear line about it.
struct PipelineTarget: FuzzTarget {
  static let name = "pipeline"
  static let limit = 8192

  static func seeds() throws -> [[UInt8]] {
    try FuzzSeeds.files(in: "pipelines", ending: ".yaml")
      + FuzzSeeds.files(in: "testdata", ending: ".yaml")
  }

  func run(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    let substitution = Substitution(date: "2026-11-20", environment: ["NAME": "value: [1]"])
    do throws(CommandError) {
      let context = PipelineNode.Context(file: "f.yaml", substitution: substitution)
      let root = try YAMLFile.read(text, context: context)
      let path = NamedPath(path: "/nowhere/f.yaml", origin: "f.yaml")
      let layer = try PipelineFile.read(root, path)
      _ = try SettingsResolver(layer: layer, environment: [:], day: "2026-11-20").resolve()
    } catch {
      require(error.isOneLine, "\(error)")
    }
  }
}

extension CommandError {
  /// Whether people see one line, and a hint of one line.
  var isOneLine: Bool {
    !message.isEmpty && !message.contains("\n") && hint?.contains("\n") != true
  }
}
