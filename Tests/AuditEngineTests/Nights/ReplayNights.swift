import AppAttest
import Basics
import RowShuffle
import TestSupport

@testable import AuditEngine

/// A challenge that was issued.
struct ChallengeSample: Equatable {
  var hash = [UInt8](repeating: 7, count: 32)
  var time: Int64 = 0
  var source: UInt32 = 0
  var line: UInt64
}

/// The input of one run: the rows of the shuffle by clientDataHash.
struct ReplayNight {
  var events: [ReplaySample] = []
  var challenges: [ChallengeSample] = []

  /// Returns all of several nights, as one run reads them.
  static func together(_ nights: [ReplayNight]) -> ReplayNight {
    ReplayNight(
      events: nights.flatMap(\.events), challenges: nights.flatMap(\.challenges))
  }
}

/// The replay audit alone, over nights.
struct ReplayNights {
  var detection = DetectionPolicy()
  /// The bytes for the rows by clientDataHash. Without it they are as planned.
  var memory: Int?
  /// Makes rows longer.
  var appID = "app"

  /// The results of one run.
  struct Outcome: Equatable {
    var findings: [Finding] = []
    /// The findings that each key's row gets more.
    var additions: [Digest256: UInt64] = [:]
    var verdicts: [VerdictRow] = []
    /// The earlier findings that this run closed.
    var closed: [ClosedFinding] = []

    /// Each as `code source.line`, with the source and line that it names.
    var codes: [String] {
      findings.map { finding in
        func place(_ position: Position) -> String { "\(position.source).\(position.line)" }
        return "\(finding.code.name) \(place(finding.position))"
          + (finding.related.map { " \(place($0))" } ?? "")
      }
    }
  }

  /// Runs one night after the other, each with the memory that the ones before left. With `dates`,
  /// each runs on its day.
  func run(
    _ nights: [ReplayNight], _ memory: MemoryHistory = MemoryHistory(), dates: [String]? = nil
  ) throws -> [Outcome] {
    try nights.enumerated().map { index, night in
      let history = memory.beginRun(date: dates?[index] ?? "2026-11-20")
      defer { memory.commit() }
      let outcome = try run(night, history)
      for finding in outcome.findings {
        try history.findings.remember(finding)
      }
      return outcome
    }
  }

  /// Returns the findings that are open after one night after the other, each as `code
  /// source.line`.
  func standing(_ nights: [ReplayNight]) throws -> [String] {
    var open: [UInt64: Finding] = [:]
    for outcome in try run(nights) {
      for finding in outcome.findings { open[finding.fingerprint] = finding }
      for finding in outcome.closed { open[finding.fingerprint] = nil }
    }
    return open.values.map(\.standing).sorted()
  }

  func run(_ night: ReplayNight, _ history: RunMemory?) throws -> Outcome {
    let scratch = try Scratch()
    let plan = MemoryPlan(memory: MemoryPlan.minimum, jobs: 2, verdicts: true)
    let shuffles = Shuffles(
      plan, workers: 2, folder: scratch.path, wantsVerdicts: true, remembers: history != nil)
    let byHash =
      memory.map {
        RowSorter(
          RowSorter.Settings(
            keyLength: HashRow.keyLength, writers: 1, memory: $0,
            space: SpillSpace(folder: scratch.path)))
      } ?? shuffles.byHash
    let row = RowBuilder(texts: shuffles.texts)
    for (index, challenge) in night.challenges.enumerated() {
      HashRow.write(
        challenge: challenge.hash.span, time: challenge.time,
        tolerance: detection.reorderTolerance,
        position: Position(source: challenge.source, line: challenge.line), row)
      unsafe try shuffles.challenges.writer(index % 2).append(row.row)
    }
    for event in night.events {
      try withRow(event.row(shuffles.texts, appID: appID)) {
        unsafe try byHash.writer(0).append($0)
      }
    }
    // The rows of a smaller shuffle, as they come out of it.
    if memory != nil {
      let rows = try byHash.merged()
      while let row = unsafe try rows.next() {
        unsafe try shuffles.byHash.writer(0).append(row)
      }
    }
    let (progress, state, policy) = (
      AuditProgress(), Cancellation<AuditError>(), SeverityPolicy(overrides: [:])
    )
    let findings = FindingSink(
      policy: policy, writer: shuffles.findings.writer(0), texts: shuffles.texts,
      progress: progress)
    let verdicts = VerdictSink(writer: shuffles.verdicts?.writer(0), texts: shuffles.texts)
    let withdrawals = Withdrawals(history)
    let context = ReduceContext(
      detection: detection, apps: ConfiguredApps([]), shuffles: shuffles, findings: findings,
      verdicts: verdicts, run: state, progress: progress, history: history,
      withdrawals: withdrawals)
    try ReplayAudit(context).reduce(RowRanges(shuffles.byHash, with: shuffles.challenges))
    if let history, let records = shuffles.records {
      try history.remember(hashes: records)
    }
    var totals = AuditTotals()
    totals += findings.totals
    totals.signs += findings.signs
    totals.verdicts = verdicts.counts
    var outcome = try outcome(totals, shuffles, state)
    outcome.closed = withdrawals.first
    return outcome
  }

  private func outcome(
    _ totals: AuditTotals, _ shuffles: Shuffles, _ state: Cancellation<AuditError>
  ) throws -> Outcome {
    var outcome = Outcome()
    let result = SortedResult(
      sources: [], inputs: [],
      graded: GradedTotals(totals, SeverityPolicy(overrides: [:]), .none), shuffles: shuffles,
      run: state)
    try result.forEachFinding { outcome.findings.append($0) }
    try result.forEachVerdict { outcome.verdicts.append($0) }
    let keys = try shuffles.keys.merged()
    while let bytes = unsafe try keys.next() {
      let addition = unsafe try KeyRow.Addition(bytes)
      outcome.additions[addition.keyID, default: 0] += UInt64(addition.findings)
    }
    return outcome
  }
}

extension Finding {
  /// `code source.line`.
  var standing: String { "\(code.name) \(position.source).\(position.line)" }
}
