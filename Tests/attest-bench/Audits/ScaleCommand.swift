import ArgumentParser
import Foundation

/// `attest-bench scale`: the same audit with more and more worker threads, on the machine at hand.
struct ScaleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scale", abstract: "Measures the whole audit with 1, 2, 4 and more threads.",
    discussion: """
      For each number of threads it prints how many times faster the audit is than with one, beside the \
      prediction from the work that one thread does alone; the processor time of each record and signature; \
      and the page faults of 1,000 records.
      """)

  @OptionGroup var log: ForgedLogOptions

  @Option(name: .long, help: "The most worker threads.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @Option(name: .long, help: "How many runs for each number of threads: the fastest counts.")
  var runs = 3

  func validate() throws {
    guard jobs > 0, runs > 0 else { throw ValidationError("--jobs and --runs take numbers from 1") }
  }

  func run() throws {
    let folder = try BenchFolder()
    try log.forge(into: folder)
    print(
      "jobs  seconds  records/s   faster  predicted   ns/record  signature  faults")
    var one: EndToEndBench.Sample?
    for jobs in Self.steps(to: jobs) {
      let bench = log.audits(of: folder, jobs: jobs)
      let samples = try (0..<runs).map { _ in try bench.measure(jobs: jobs) }
      guard let best = samples.min(by: { $0.seconds < $1.seconds }) else { continue }
      let first = one ?? best
      one = first
      print(
        String(
          format: "%4d %8.2f %10.0f %7.2f× %9.2f× %11.0f %10.0f %7.1f", jobs, best.seconds,
          best.records / best.seconds, first.seconds / best.seconds,
          EndToEndBench.reach(jobs, serialShare: first.serialShare), best.record,
          best.verifying / max(best.assertions, 1),
          1000 * best.faults / best.records))
    }
  }

  /// Returns the powers of two below a number, and the number.
  static func steps(to most: Int) -> [Int] {
    Array(sequence(first: 1) { $0 * 2 < most ? $0 * 2 : nil }) + (most > 1 ? [most] : [])
  }
}
