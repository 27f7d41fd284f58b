import ArgumentParser
import Foundation

/// `attest-bench`: the costs of an audit.
@main
struct AttestBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attest-bench",
    abstract: "Measures what an audit costs.",
    subcommands: [
      StagesCommand.self, ScaleCommand.self, SchemasCommand.self, AuditBench.self,
      StateBench.self,
    ],
    defaultSubcommand: StagesCommand.self)
}

/// A temporary folder that is removed when it is no longer used.
final class BenchFolder {
  let path: String

  /// Makes the folder in `parent`, or among the temporary files if `parent` is nil.
  init(in parent: String? = nil) throws {
    let url = (parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory)
      .appendingPathComponent("attest-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
