import ArgumentParser
import AuditEngine
import Basics
import Foundation
import LogForge

/// `attest-bench stages`, or `attest-bench` alone: the cost of each stage of an audit, beside the
/// rate of OpenSSL alone.
///
/// Everything is measured in one run on one machine, in processor time, and printed for each record
/// and as a ratio to one P-256 verification: absolute times of a shared machine mean little.
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
    let openSSL = try OpenSSLRate.measure(jobs: jobs)
    print("OpenSSL, one P-256 verification at a time:")
    for (name, rate) in [
      ("openssl speed, one core", openSSL.onOneCore),
      ("openssl speed, \(jobs) at once", openSSL.onAllCores),
      ("the audit's verifier, one core", openSSL.byAudit),
    ] {
      print("  \(name.padded(to: 34, least: 1))\(BenchTable.number(rate))/s")
    }
    print("\nThe batch verifier beside OpenSSL with a cached key, one core:")
    print(KernelBench.text(try KernelBench.measure()))
    print("P-384 signatures of one issuer beside OpenSSL with a cached key, one core:")
    print(try IssuerBench.text())
    print("Attestations, one core:")
    print(try AttestationBench(folder: folder.path).measure().text)
    var table = BenchTable(verification: openSSL.nanoseconds)
    try StageBench(folder: folder.path).measure(into: &table)
    let schemas = try SchemaBench(
      folder: folder.path, keys: log.keys, assertions: log.assertions)
    let forms = schemas.measure()
    for (form, cost) in zip(SchemaBench.Form.allCases, forms).dropFirst() {
      table.add(form.title, nanoseconds: cost)
    }
    print("Each stage by itself, for each record on one core:")
    print(table.text)
    print(schemas.text(forms) + "\n")
    try log.audits(of: folder, jobs: jobs).run()
  }
}

extension SignatureVerifier: ExpressibleByArgument {}
