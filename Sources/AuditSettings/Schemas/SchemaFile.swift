package import AuditEngine
package import AuditLog

/// The contents of a schema file.
package struct SchemaFile: Sendable, Equatable {
  /// The compiled schema by which lines are read.
  package var compiled: CompiledSchema
  /// The scope of replays in such a log, unless the settings give another.
  package var replayScope: ReplayScope?
  package var tests: [SchemaTest] = []
  /// The schema in YAML with `${…}` filled in, or nil for one that comes with the program.
  package internal(set) var text: String?
  /// Whether the schema comes with the program.
  package var isShipped = false

  package var definition: LogSchema { compiled.definition }

  /// The default schema, which needs no file.
  package static let standard = SchemaFile(compiled: .standard, isShipped: true)

  package static func == (left: SchemaFile, right: SchemaFile) -> Bool {
    left.definition == right.definition && left.replayScope == right.replayScope
      && left.tests == right.tests && left.isShipped == right.isShipped
  }

  /// Returns the schema that a flag or a pipeline file names: one that comes with the program, or a
  /// file, relative to `folder`. Throws an error of `status` if the name is neither. `key` is the
  /// setting's name in a file.
  package static func named(
    _ name: String, origin: String, key: String, folder: String,
    status: ExitStatus = .invalidFile, substitution: Substitution
  ) throws(CommandError) -> SchemaFile {
    if let text = ShippedSchemas.text(of: name) { return try shipped(name, text) }
    guard name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml") else {
      let place = key.isEmpty ? origin : "\(origin): \(key)"
      throw CommandError(
        status, "\(place): no schema is called '\(name)'",
        hint: NearestName.of(name, among: ShippedSchemas.names).map { "did you mean '\($0)'?" }
          ?? "use one of: \(ShippedSchemas.names.joined(separator: ", ")), or a path such as "
          + "./\(name).yaml")
    }
    let path = NamedPath(path: name.hasPrefix("/") ? name : folder + name, origin: origin)
    guard let root = try YAMLFile.read(path, substitution: substitution) else {
      throw CommandError(.invalidFile, "\(path.prefix)\(path.path): the schema file is empty")
    }
    return try SchemaFileReader.read(root, name: fileName(path.path))
  }

  /// Returns a schema that comes with the program. Its file is embedded.
  private static func shipped(_ name: String, _ text: String) throws(CommandError) -> SchemaFile {
    if name == standard.definition.name { return standard }
    let context = PipelineNode.Context(
      file: "\(name).yaml", substitution: Substitution(date: "", environment: [:]))
    guard let root = try YAMLFile.read(text, context: context) else {
      throw CommandError(.failure, "the schema \(name) that comes with the program is empty")
    }
    var file = try SchemaFileReader.read(root, name: name)
    file.isShipped = true
    file.text = nil
    return file
  }

  /// Returns a file's name without its folder and its extensions.
  package static func fileName(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    return String(name.prefix { $0 != "." })
  }
}
