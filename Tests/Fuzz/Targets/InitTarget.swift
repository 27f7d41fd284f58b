import AppAttest
import AuditLog
import AuditSettings
import LogDiscovery
import TestSupport

/// A log that `init` reads: the schema that it writes is read back as the same value.
struct InitTarget: FuzzTarget {
  static let name = "init"
  static let limit = 32_768

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static func seeds() throws -> [[UInt8]] {
    try FuzzSeeds.schemas.map { schema in
      Array(try FuzzSeeds.lines(of: schema, most: 9).joined(separator: [0x0A]))
    }
  }

  func run(_ bytes: [UInt8]) throws {
    let path = try scratch.write("log.jsonl", bytes)
    let sample = SampleReader.read([path], limit: 60)
    guard !sample.lines.isEmpty else { return }
    let discovery = Discovery(
      sample, anchors: [AppleTrust.appAttestationRootCA], keys: [:], appIDs: [],
      isAppID: { SettingFormat<String>.appID.parse($0) != nil })
    guard let schema = discovery.draft.schema(of: sample) else { return }
    let text = SchemaWriter(schema, replayScope: nil).lines.joined(separator: "\n")
    let context = PipelineNode.Context(
      file: "found.yaml", substitution: Substitution(date: "", environment: [:]))
    do throws(CommandError) {
      guard let root = try YAMLFile.read(text, context: context) else {
        return require(false, "an empty schema")
      }
      require(
        try SchemaFileReader.read(root, name: schema.name).definition == schema,
        "\(schema)\n\(text)")
    } catch {
      require(false, "\(error)\n\(text)")
    }
  }
}
