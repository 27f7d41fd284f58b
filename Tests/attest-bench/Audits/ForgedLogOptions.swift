import AppAttest
import ArgumentParser
import AuditEngine
import Foundation
import LogForge

/// The options of a bench that forges a log and audits it.
struct ForgedLogOptions: ParsableArguments {
  @Option(name: .long, help: "Assertions to forge and audit.")
  var assertions = 200_000

  @Option(name: .long, help: "Keys that they come from, each with one attestation.")
  var keys = 200

  @Option(name: .long, help: "Files that they are in.")
  var files = 4

  @Option(name: .long, help: "The memory of an audit, in MiB.")
  var memory = 512

  @Option(name: .long, help: "batch or openssl: who checks signatures.")
  var verifier = SignatureVerifier.batch

  /// Forges the log into a folder.
  func forge(into folder: BenchFolder) throws {
    let options = ForgeOptions(keys: keys, assertions: assertions, files: files, seed: 1)
    _ = try LogForge(options).write(to: folder.path)
  }

  /// Returns the audits of the log in a folder.
  func audits(of folder: BenchFolder, jobs: Int) -> EndToEndBench {
    EndToEndBench(folder: folder.path, jobs: jobs, memory: memory << 20, verifier: verifier)
  }
}

extension AuditConfiguration {
  /// Returns the settings of an audit of the logs that ``LogForge`` wrote into a folder. It trusts
  /// the synthetic authority in that folder.
  static func forgedLog(in folder: String, limits: AuditLimits) throws -> AuditConfiguration {
    func anchor(_ name: String) throws -> [[UInt8]] {
      let text = FileManager.default.contents(atPath: "\(folder)/anchors/\(name).pem") ?? Data()
      return try TrustAnchors.certificates(pem: Array(text))
    }
    return AuditConfiguration(
      inputs: [folder + "/logs"],
      apps: LogForge.appIDs.map {
        AppPolicy(id: $0, environments: Set(AttestEnvironment.allCases))
      },
      trustAnchors: try anchor("synthetic-attestation-root"),
      receiptAnchors: try anchor("synthetic-receipt-root"), limits: limits)
  }
}

extension SignatureVerifier: ExpressibleByArgument {}
