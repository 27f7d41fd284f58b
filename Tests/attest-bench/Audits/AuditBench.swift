import ArgumentParser
import AuditEngine
import Basics
import Foundation
import LogForge

/// `attest-bench audit`: the whole audit, again and again.
///
/// It compares two versions of the program in turns: the least of many runs is more reliable than
/// one run of either.
struct AuditBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Measures the whole audit several times.")

  @OptionGroup var log: ForgedLogOptions

  @Option(name: .long, help: "Worker threads.")
  var jobs = 1

  @Option(name: .long, help: "How many runs.")
  var runs = 9

  func validate() throws {
    guard runs > 0 else { throw ValidationError("--runs takes a number from 1") }
  }

  func run() throws {
    let folder = try BenchFolder()
    try log.forge(into: folder)
    let bench = log.audits(of: folder, jobs: jobs)
    let samples = try (0..<runs).map { _ in try bench.measure(jobs: jobs) }
    print("Nanoseconds of processor time, the least and the median of \(runs) runs:")
    for (name, cost) in EndToEndBench.Sample.parts {
      let costs = samples.map(cost).sorted()
      print(
        "  \(name.padded(to: 28, least: 1))"
          + String(format: "%10.0f %10.0f", costs[0], costs[costs.count / 2]))
    }
  }
}
