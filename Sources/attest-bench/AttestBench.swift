import ArgumentParser
import AuditEngine
import Foundation
import LogForge

/// `attest-bench`: what each stage of an audit costs, beside what OpenSSL alone can verify.
///
/// Everything is measured in one run on one machine, in processor time, and printed for each record
/// and as a ratio to one P-256 verification: absolute times of a shared machine mean little.
@main
struct AttestBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attest-bench",
    abstract: "Measures each stage of an audit beside OpenSSL's own P-256 verification.")

  @Option(name: .long, help: "Assertions to forge and audit.")
  var assertions = 200_000

  @Option(name: .long, help: "Keys that they come from.")
  var keys = 200

  @Option(name: .long, help: "Worker threads of the end-to-end run.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @Option(name: .long, help: "The memory of the end-to-end run, in MiB.")
  var memory = 512

  func run() throws {
    let folder = try BenchFolder()
    let options = ForgeOptions(keys: keys, assertions: assertions, files: 4, seed: 1)
    _ = try LogForge(options).write(to: folder.path)
    let openSSL = try OpenSSLRate.measure(jobs: jobs)
    print("OpenSSL, one P-256 verification at a time:")
    for (name, rate) in [
      ("openssl speed, one core", openSSL.onOneCore),
      ("openssl speed, \(jobs) at once", openSSL.onAllCores),
      ("the audit's verifier, one core", openSSL.byAudit),
    ] {
      print("  \(BenchTable.pad(name, 34))\(BenchTable.number(rate))/s")
    }
    print("")
    var table = BenchTable(verification: openSSL.nanoseconds)
    try StageBench(folder: folder.path).measure(into: &table)
    print("Each stage by itself, for each record on one core:")
    print(table.text)
    try EndToEndBench(
      folder: folder.path, jobs: jobs, memory: memory << 20, openSSL: openSSL
    ).run()
  }
}

/// A temporary folder that goes when it is no longer used.
final class BenchFolder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("attest-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
