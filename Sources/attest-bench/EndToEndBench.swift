import AppAttest
import AuditEngine
import Foundation
import Glibc
import LogForge
import Synchronization

/// The whole audit, on one worker and on as many as are wanted, beside what OpenSSL alone could
/// verify.
struct EndToEndBench {
  let folder: String
  let jobs: Int
  let memory: Int
  let verifier: SignatureVerifier

  /// Nanoseconds of one core.
  struct Costs {
    /// Of one record, but for its signature or attestation.
    var record = 0.0
    var attestation = 0.0
  }

  /// Returns what was measured with all workers.
  func run() throws -> Costs {
    var costs = Costs()
    for jobs in Set([1, jobs]).sorted() { costs = try run(jobs: jobs) }
    return costs
  }

  private func run(jobs: Int) throws -> Costs {
    // A shared machine's speed drifts: OpenSSL is asked before and after.
    let possibleBefore = try OpenSSLRate.rate(jobs: jobs)
    let progress = AuditProgress()
    let audit = try Audit(
      configuration: configuration(jobs: jobs), progress: progress, notice: { _ in })
    let wall = Date()
    let before = Self.processTime()
    let totals = try audit.run().totals
    let cpu = Double(Self.processTime() - before)
    let seconds = Date().timeIntervalSince(wall)
    let signatures = Double(totals.assertions)
    let records = Double(totals.lines)
    let clock = progress.clock
    let attesting = Self.time(clock.attesting)
    let verifying = Self.time(clock.verifying)
    let possible = (possibleBefore + (try OpenSSLRate.rate(jobs: jobs))) / 2
    // Like with like: with as many at once.
    var table = BenchTable(verification: 1e9 * Double(jobs) / possible)
    table.add("read", nanoseconds: Self.time(clock.reading) / records)
    table.add(
      "decode", nanoseconds: (Self.time(clock.decoding) - attesting) / records)
    table.add("judge keys", nanoseconds: Self.time(clock.judging) / records)
    table.add("judge hashes", nanoseconds: Self.time(clock.replaying) / records)
    table.add("everything but signatures", nanoseconds: (cpu - verifying - attesting) / records)
    table.add("signature of an assertion", nanoseconds: verifying / signatures)
    if totals.attestations > 0 {
      table.add(
        "attestation", nanoseconds: attesting / Double(totals.attestations))
    }
    print(
      "End to end, --jobs \(jobs), --memory \(memory >> 20)MiB, --verifier \(verifier.rawValue):")
    print(table.text)
    print(
      "  \(BenchTable.number(records / seconds)) records/s, "
        + "\(BenchTable.number(signatures / seconds)) signatures/s: "
        + String(format: "%.2f", signatures / seconds / possible)
        + " × what OpenSSL alone verifies on\n  as many cores, \(BenchTable.number(possible))/s "
        + "(the mean of before and after)")
    // Reading, decoding and verifying are spread over threads; all else is done by one.
    let spread = Self.time(clock.reading) + Self.time(clock.decoding) + verifying
    print("  " + Self.scaling(serialShare: max(0, 1 - spread / cpu)) + "\n")
    return Costs(
      record: (cpu - verifying - attesting) / records,
      attestation: attesting / Double(max(totals.attestations, 1)))
  }

  /// What more cores would reach where a share of the processor time is that of one thread (Amdahl,
  /// 1967).
  static func scaling(serialShare share: Double) -> String {
    func reach(_ cores: Double) -> Double { 1 / (share + (1 - share) / cores) }
    return String(
      format: "one thread alone does %.1f %%: 16 cores would reach %.1f times one, 64 %.1f times",
      100 * share, reach(16), reach(64))
  }

  private func configuration(jobs: Int) throws -> AuditConfiguration {
    var configuration = try plainConfiguration(jobs: jobs)
    configuration.verification.verifier = verifier
    return configuration
  }

  private func plainConfiguration(jobs: Int) throws -> AuditConfiguration {
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
      receiptAnchors: try anchor("synthetic-receipt-root"),
      limits: AuditLimits(
        memory: memory, jobs: jobs, tempDirectory: FileManager.default.temporaryDirectory.path))
  }

  private static func time(_ stage: borrowing Atomic<Int>) -> Double {
    Double(stage.load(ordering: .relaxed))
  }

  /// The processor time of all threads, user and system, in nanoseconds.
  private static func processTime() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
