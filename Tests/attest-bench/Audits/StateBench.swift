import AppAttest
import ArgumentParser
import AuditEngine
import AuditState
import Basics
import Foundation
import LogForge

/// `attest-bench state`: the cost of a night with a large state.
struct StateBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "state",
    abstract: "Measures a night's audit with and without a large state.",
    discussion: """
      Makes a state of as many keys and hashes as are asked for, none of which is in the night's log; \
      a hash takes 144 bytes on the disk.
      """)

  @Option(name: .long, help: "Keys that the state knows.")
  var keys = 5_000_000

  @Option(name: .long, help: "Hashes that it remembers.")
  var hashes = 100_000_000

  @Option(name: .long, help: "Segments that these are in, one for each earlier night.")
  var segments = 30

  @Option(name: .long, help: "Records of the night.")
  var records = 1_000_000

  @Option(name: .long, help: "Worker threads.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @Option(name: .long, help: "The memory of an audit, in MiB.")
  var memory = 1024

  @Option(
    name: .long,
    help: "The folder in which state and logs are made; gone afterwards. (default: a temporary one)"
  )
  var folder: String?

  func validate() throws {
    guard keys >= 0, hashes >= 0, (1...1000).contains(segments), records >= 100, jobs >= 1 else {
      throw ValidationError(
        "sizes are numbers from 0, --segments from 1 to 1000, --records from 100")
    }
  }

  func run() throws {
    let scratch = try BenchFolder(in: folder)
    let state = scratch.path + "/state"
    var start = Date()
    try LargeState(keys: keys, hashes: hashes, segments: segments).write(to: state)
    print(
      "A state of \(AttestBench.number(Double(keys))) keys and "
        + "\(AttestBench.number(Double(hashes))) hashes in \(segments) segments, made in "
        + Self.seconds(Date().timeIntervalSince(start)))
    let options = ForgeOptions(
      keys: max(1, records / 100), assertions: records - max(1, records / 100), files: 4, seed: 1)
    _ = try LogForge(options).write(to: scratch.path + "/night")
    let night = StateNight(
      logs: scratch.path + "/night", jobs: jobs, memory: memory << 20,
      spill: scratch.path)
    start = Date()
    print(
      "\nA night of \(AttestBench.number(Double(records))) records, --jobs \(jobs), --memory \(memory)MiB:"
    )
    let without = try night.measure(state: nil)
    print(Self.row("without a state", without))
    let with = try night.measure(state: state)
    print(Self.row("with the state", with))
    print(
      "  \("more with it".padded(to: 34, least: 1))\(Self.seconds(with.seconds - without.seconds)), "
        + String(format: "%.2f times as long", with.seconds / without.seconds))
    for (name, seconds) in with.parts {
      print("    \(name.padded(to: 32, least: 1))\(Self.seconds(seconds))")
    }
  }

  private static func row(_ name: String, _ cost: StateNight.Cost) -> String {
    "  \(name.padded(to: 34, least: 1))\(seconds(cost.seconds)), peak memory "
      + "\(cost.peakMemory >> 20) MiB, \(cost.findings) findings"
  }

  private static func seconds(_ value: Double) -> String { String(format: "%7.2f s", value) }
}

/// A state of the size that a large service has after a month.
struct LargeState {
  let keys: Int
  let hashes: Int
  let segments: Int

  /// The milliseconds of a day.
  private static let day: Int64 = 86_400_000

  /// Makes the state, a night for each segment. The last one was yesterday.
  func write(to path: String) throws {
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    for night in 0..<segments {
      let time = now - Int64(segments - night) * Self.day / 2
      let state = try StateDirectory.open(path: path, mode: .advance, now: time)
      let run = try state.beginRun(
        TransactionFacts(
          id: "synthetic-\(night)", day: "2026-01-01", startedAt: time, window: 3650 * Self.day,
          pendingFor: Self.day))
      var random = SplitMix64(state: UInt64(night))
      if night == 0 { try addKeys(run.history, &random) }
      let share = hashes / segments + (night < hashes % segments ? 1 : 0)
      try addHashes(share, run.history, &random)
      try run.prepare(
        TransactionOutcome(
          sources: ["night \(night)"], inputs: [], finishedAt: time, totals: CommittedTotals()))
      try run.commit()
      run.finish()
    }
  }

  private func addKeys(_ history: RunMemory, _ random: inout SplitMix64) throws {
    for index in 0..<keys {
      let id = random.bytes(32, from: Self.place(index, of: keys, &random))
      guard let keyID = Digest256(id) else { continue }
      var key = KeptKey(keyID: keyID)
      key.publicKey = [4] + random.bytes(64, from: random.next())
      key.appID = LogForge.appIDs[0]
      key.environment = .production
      key.firstValid = Position(source: 0, line: UInt64(index))
      key.firstAttestation = key.firstValid
      key.attestedAt = 1_767_225_600_000
      key.osVersion = "26.1"
      key.bundleVersion = "412"
      key.receiptType = "ATTEST"
      key.receiptCreated = 1_767_225_600_000
      let counter = 1 + UInt32(truncatingIfNeeded: random.next() & 0xFFF)
      var high = KeptKey.High()
      (high.time, high.counter, high.position) = (1_767_225_700_000, counter, key.firstValid)
      key.snapshot.counters.highs = [high]
      key.snapshot.counters.seen = [1...counter]
      try history.keys.remember(key, isNew: true)
    }
  }

  private func addHashes(_ count: Int, _ history: RunMemory, _ random: inout SplitMix64) throws {
    for index in 0..<count {
      var record = random.bytes(32, from: Self.place(index, of: count, &random))
      record.append(32)
      record += random.bytes(KeptRecord.byteCount - record.count, from: random.next())
      try unsafe record.withUnsafeBytes { try unsafe history.hashes.remember($0) }
    }
  }

  /// Returns evenly spread numbers that ascend with the index, so that nothing has to be sorted.
  private static func place(_ index: Int, of count: Int, _ random: inout SplitMix64) -> UInt64 {
    let width = UInt64.max / UInt64(max(count, 1))
    return UInt64(index) &* width &+ random.next() % max(width, 1)
  }
}

extension SplitMix64 {
  /// Returns so many bytes, of which the first 8 are `front` in big-endian order.
  mutating func bytes(_ count: Int, from front: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(KeptRecord.byteCount)
    var number = front.bigEndian
    while bytes.count < count {
      unsafe withUnsafeBytes(of: number) { unsafe bytes.append(contentsOf: $0) }
      number = next()
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }
}

/// The audit of one night's logs.
struct StateNight {
  let logs: String
  let jobs: Int
  let memory: Int
  /// The folder for spilled rows.
  let spill: String

  /// The outcome of a night.
  struct Cost {
    var seconds = 0.0
    /// The largest resident set while it ran, in bytes.
    var peakMemory = 0
    var findings: UInt64 = 0
    /// The seconds of the parts that only a night with a state has.
    var parts: [(name: String, seconds: Double)] = []
  }

  func measure(state path: String?) throws -> Cost {
    Self.forgetPeak()
    var cost = Cost()
    let start = Date()
    var configuration = try AuditConfiguration.forgedLog(
      in: logs, limits: AuditLimits(memory: memory, jobs: jobs, tempDirectory: spill))
    var run: StateTransaction?
    if let path {
      let now = Int64(start.timeIntervalSince1970 * 1000)
      let state = try StateDirectory.open(path: path, mode: .advance, now: now)
      run = try state.beginRun(
        TransactionFacts(
          id: "night", day: "2026-01-01", startedAt: now, window: 3650 * 86_400_000,
          pendingFor: 86_400_000))
      configuration.history = run?.history
      cost.parts.append(("opening", Date().timeIntervalSince(start)))
    }
    let totals = try Audit(
      configuration: configuration, progress: AuditProgress(), notice: { _ in }
    ).run().totals
    cost.findings = totals.findings
    if let run {
      let audited = Date()
      try run.prepare(
        TransactionOutcome(
          sources: ["night"], inputs: [], finishedAt: 0, totals: CommittedTotals()))
      try run.commit()
      cost.parts.append(("writing and committing", Date().timeIntervalSince(audited)))
      let committed = Date()
      run.finish()
      cost.parts.append(("tidying up", Date().timeIntervalSince(committed)))
    }
    cost.seconds = Date().timeIntervalSince(start)
    cost.peakMemory = Self.peak
    return cost
  }

  /// Makes the kernel begin a new peak (proc(5), clear_refs).
  private static func forgetPeak() {
    try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
  }

  /// The largest resident set since then, in bytes.
  private static var peak: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return
      (line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) }
      ?? 0) << 10
  }
}
