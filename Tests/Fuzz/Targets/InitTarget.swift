import AppAttest
import AuditSettings
import Basics
import LogDiscovery
import TestSupport

/// A log that `init` reads: the pipeline file that it writes is one that an audit takes.
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
      sample, anchors: [AppleTrust.appAttestationRootCA], appIDs: [],
      isAppID: { SettingFormat<String>.appID.parse($0) != nil })
    guard !discovery.schema.rules.isEmpty, discovery.recordArray == nil else { return }
    let paths = PipelineText.Paths(inputs: [path], anchors: [], receiptAnchors: [])
    let text = PipelineText(discovery: discovery, paths: paths) {
      CivilTime(milliseconds: $0).text
    }.text
    let context = PipelineNode.Context(
      file: "found.yaml", substitution: Substitution(date: "", environment: [:]))
    do throws(CommandError) {
      let root = try YAMLFile.read(text, context: context)
      _ = try PipelineFile.read(root, NamedPath(path: "found.yaml", origin: "fuzz"))
    } catch {
      require(false, "\(error)\n\(text)")
    }
  }
}
