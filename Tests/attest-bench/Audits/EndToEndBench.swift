import AppAttest
import AuditEngine
import Basics
import Foundation
import Glibc
import LogForge
import Synchronization

/// The whole audit, on one worker and on as many as are wanted, beside the rate of OpenSSL alone.
struct EndToEndBench {
  let folder: String
  let jobs: Int
  let memory: Int
  let verifier: SignatureVerifier

  /// Measures with one worker and with all.
  func run() throws {
    for jobs in Set([1, jobs]).sorted() { try run(jobs: jobs) }
  }

  private func run(jobs: Int) throws {
    // The speed of a shared machine varies: OpenSSL is measured before and after.
    let possibleBefore = try OpenSSLRate.rate(jobs: jobs)
    let sample = try measure(jobs: jobs)
    let possible = (possibleBefore + (try OpenSSLRate.rate(jobs: jobs))) / 2
    // A fair comparison: OpenSSL runs on as many cores at once.
    let verification = 1e9 * Double(jobs) / possible
    print(
      "End to end, --jobs \(jobs), --memory \(memory >> 20)MiB, --verifier \(verifier.rawValue):")
    for (name, cost) in Sample.parts {
      let nanoseconds = cost(sample)
      print(
        "  \(name.padded(to: 34, least: 1))"
          + String(
            format: "%10.0f ns%9.4f verifications", nanoseconds, nanoseconds / verification))
    }
    print(
      "\n  \(AttestBench.number(sample.records / sample.seconds)) records/s, "
        + "\(AttestBench.number(sample.assertions / sample.seconds)) signatures/s: "
        + String(format: "%.2f", sample.assertions / sample.seconds / possible)
        + " × what OpenSSL alone verifies on\n  as many cores, \(AttestBench.number(possible))/s "
        + "(the mean of before and after)")
    print("  " + Self.scaling(serialShare: sample.serialShare) + "\n")
  }

  /// One audit: numbers of records, and nanoseconds of processor time.
  struct Sample {
    var records = 0.0
    var assertions = 0.0
    /// The elapsed time, in seconds.
    var seconds = 0.0
    /// The processor time of all threads.
    var cpu = 0.0
    var reading = 0.0
    var decoding = 0.0
    var verifying = 0.0
    var judging = 0.0
    var replaying = 0.0
    /// Pages that were touched for the first time.
    var faults = 0.0

    /// The cost of one record, without its signature.
    var record: Double { (cpu - verifying) / records }

    /// The costs of the parts, in nanoseconds of one core.
    static let parts: [(name: String, cost: @Sendable (Sample) -> Double)] = [
      ("everything but signatures", \.record),
      ("  read", { $0.reading / $0.records }),
      ("  decode", { $0.decoding / $0.records }),
      ("  judge keys", { $0.judging / $0.records }),
      ("  judge hashes", { $0.replaying / $0.records }),
      ("signature of an assertion", { $0.verifying / max($0.assertions, 1) }),
      ("all, by one thread alone", { $0.serialShare * $0.cpu / $0.records }),
      ("all", { $0.cpu / $0.records }),
    ]

    /// The share of the processor time that is spent on one thread: all but the stages.
    var serialShare: Double {
      max(0, 1 - (reading + decoding + verifying + judging + replaying) / cpu)
    }
  }

  /// Audits the log once.
  func measure(jobs: Int) throws -> Sample {
    let progress = AuditProgress()
    var configuration = try AuditConfiguration.forgedLog(
      in: folder,
      limits: AuditLimits(
        memory: memory, jobs: jobs, tempDirectory: FileManager.default.temporaryDirectory.path))
    configuration.verification.verifier = verifier
    let audit = try Audit(configuration: configuration, progress: progress, notice: { _ in })
    let wall = Date()
    let before = Self.processTime()
    let faults = Self.pageFaults
    let totals = try audit.run().totals
    var sample = Sample()
    sample.cpu = Double(Self.processTime() - before)
    sample.faults = Double(Self.pageFaults - faults)
    sample.seconds = Date().timeIntervalSince(wall)
    sample.records = Double(totals.lines)
    sample.assertions = Double(totals.assertions)
    let clock = progress.clock
    sample.reading = Self.time(clock.reading)
    sample.decoding = Self.time(clock.decoding)
    sample.verifying = Self.time(clock.verifying)
    sample.judging = Self.time(clock.judging)
    sample.replaying = Self.time(clock.replaying)
    return sample
  }

  /// Returns a text on the gain from more cores if a share of the processor time is that of one
  /// thread (Amdahl, 1967).
  static func scaling(serialShare share: Double) -> String {
    String(
      format: "one thread alone does %.1f %%: 16 cores would reach %.1f times one, 64 %.1f times",
      100 * share, reach(16, serialShare: share), reach(64, serialShare: share))
  }

  /// Returns how many times faster so many cores would be than one.
  static func reach(_ cores: Int, serialShare share: Double) -> Double {
    1 / (share + (1 - share) / Double(cores))
  }

  private static func time(_ stage: borrowing Atomic<Int>) -> Double {
    Double(stage.load(ordering: .relaxed))
  }

  /// The page faults of the process so far, without those that read a file.
  private static var pageFaults: Int {
    var usage = rusage()
    unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_minflt
  }

  /// Returns the processor time of all threads, user and system, in nanoseconds.
  private static func processTime() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
