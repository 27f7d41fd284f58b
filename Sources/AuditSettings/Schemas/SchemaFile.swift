package import AuditEngine
package import AuditLog
import Foundation

package struct SchemaFile: Sendable {
  package var compiled: CompiledSchema
  /// The scope of replays in such a log, unless the settings give another.
  package var replayScope: ReplayScope?
  package var tests: [SchemaTest] = []
  /// The schema in YAML with `${…}` filled in, or nil for one that comes with the program.
  package internal(set) var text: String?
  package var isShipped: Bool { text == nil }

  package var definition: LogSchema { compiled.definition }

  /// The default schema, which needs no file.
  package static let standard = SchemaFile(compiled: .standard)

  /// Returns the schema that `key` names: a shipped one, or a file relative to `folder`.
  package static func named(
    _ name: String, origin: String, key: String, folder: String,
    status: ExitStatus = .invalidFile, substitution: Substitution
  ) throws(CommandError) -> SchemaFile {
    if let text = ShippedSchemas.text(of: name) { return try shipped(name, text) }
    guard name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml") else {
      let place = key.isEmpty ? origin : "\(origin): \(key)"
      throw CommandError(
        status, "\(place): no schema is called '\(name)'",
        hint: NearestName.hint(name, among: ShippedSchemas.names)
          ?? "use one of: \(ShippedSchemas.names.joined(separator: ", ")), or a path such as "
          + "./\(name).yaml")
    }
    let path = NamedPath(path: name.hasPrefix("/") ? name : folder + name, origin: origin)
    return try SchemaFileReader.read(
      YAMLFile.read(path, substitution: substitution), name: fileName(path.path))
  }

  /// Returns a schema that comes with the program. Its file is embedded.
  private static func shipped(_ name: String, _ text: String) throws(CommandError) -> SchemaFile {
    if name == standard.definition.name { return standard }
    let context = PipelineNode.Context(file: "\(name).yaml")
    var file = try SchemaFileReader.read(YAMLFile.read(text, context: context), name: name)
    file.text = nil
    return file
  }

  /// Returns a file's name without its folder and its extensions.
  package static func fileName(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    return String(name.prefix { $0 != "." })
  }
}

/// The schemas of `pipelines/schemas`, linked from `Shipped/` and embedded in the program.
package enum ShippedSchemas {
  private static let files: [(name: String, bytes: [UInt8])] = [
    ("default", PackageResources.default_yaml),
    ("capgo", PackageResources.capgo_yaml),
    ("device-integrity", PackageResources.device_integrity_yaml),
    ("swiftui", PackageResources.swiftui_yaml),
    ("header-assertion", PackageResources.header_assertion_yaml),
    ("nginx-json", PackageResources.nginx_json_yaml),
    ("envoy", PackageResources.envoy_yaml),
    ("otel", PackageResources.otel_yaml),
    ("gcp", PackageResources.gcp_yaml),
    ("cloudwatch", PackageResources.cloudwatch_yaml),
    ("aws-apigw", PackageResources.aws_apigw_yaml),
    ("cloudfront", PackageResources.cloudfront_yaml),
  ]

  package static let names = files.map(\.name)

  static func text(of name: String) -> String? {
    files.first { $0.name == name }.map { String(decoding: $0.bytes, as: UTF8.self) }
  }
}

/// The keys of schema files. The page on settings lists and explains them.
enum SchemaLanguage {

  static let file = names(under: "The file")
  static let rule = names(under: "A rule")
  static let condition = names(under: "A condition")
  static let unwrap = names(under: "A string to unwrap")
  static let field = names(under: "A field")

  private static func names(under title: String) -> [String] {
    let sections = SettingRow.page.components(separatedBy: "\n### ")
    let rows = sections.first { $0.hasPrefix(title + "\n") }?.components(separatedBy: "\n| `") ?? []
    return rows.dropFirst().map { String($0.prefix { $0 != "`" }) }
  }
}
