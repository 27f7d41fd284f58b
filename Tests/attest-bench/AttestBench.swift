import ArgumentParser
import Basics
import Foundation

/// `attest-bench`: the costs of an audit.
@main
struct AttestBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attest-bench",
    abstract: "Measures what an audit costs.",
    subcommands: [
      StagesCommand.self, ScaleCommand.self, AuditBench.self, StateBench.self,
    ],
    defaultSubcommand: StagesCommand.self)

  /// Returns a whole number with its thousands separated.
  static func number(_ value: Double) -> String {
    var digits = String(Int(value.rounded()))
    var end = digits.endIndex
    while let place = digits.index(end, offsetBy: -3, limitedBy: digits.startIndex),
      place > digits.startIndex
    {
      digits.insert(",", at: place)
      end = place
    }
    return digits
  }
}

/// `attest-bench stages`, or `attest-bench` alone: the cost of each stage of an audit, beside the
/// rate of OpenSSL alone, in one run and in processor time.
struct StagesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stages",
    abstract: "Measures each stage of an audit beside OpenSSL's own P-256 verification.")

  @OptionGroup var log: ForgedLogOptions

  @Option(name: .long, help: "Worker threads of the end-to-end run.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  func run() throws {
    let folder = try BenchFolder()
    try log.forge(into: folder)
    print("OpenSSL, one P-256 verification at a time:")
    for (name, rate) in [
      ("openssl speed, one core", try OpenSSLRate.rate(jobs: 1)),
      ("openssl speed, \(jobs) at once", try OpenSSLRate.rate(jobs: jobs)),
      ("the audit's verifier, one core", try OpenSSLRate.ownRate()),
    ] {
      print("  \(name.padded(to: 34, least: 1))\(AttestBench.number(rate))/s")
    }
    print("\nThe batch verifier beside OpenSSL with a cached key, one core:")
    print(KernelBench.text(try KernelBench.measure()))
    print("Attestations, one core:")
    print(try AttestationBench(folder: folder.path).measure())
    try log.audits(of: folder, jobs: jobs).run()
  }
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

/// The reason why the bench cannot go on.
struct BenchError: Error, CustomStringConvertible {
  var context: String
  var description: String { context }
}
