internal import AppAttest
internal import AuditLog
internal import Basics
internal import RowShuffle

/// The parts that the stages of a run share: the division of its memory, its shuffles, and the sinks of
/// what they find.
struct RunParts {
  let plan: MemoryPlan
  let shuffles: Shuffles
  /// The shuffle by device, or nil if devices are not joined.
  let devices: RowSorter?
  /// One sink for each worker, and behind them that of the readers and reducers.
  let findings: [FindingSink]
  /// The same of verdicts.
  let verdicts: [VerdictSink]
  let withdrawals: Withdrawals
  let context: ReduceContext
  private let accepted: AcceptedFindings
  private let replaced: ReplacedFindings

  /// `names` are those of all sources, for sentences; `ends` says which of the shuffles are elsewhere.
  init(_ run: AuditRun, names: [String], ends: ShuffleEnds = .none) throws(AuditError) {
    let configuration = run.configuration
    let limits = configuration.limits
    plan = run.memoryPlan(sources: names.count)
    let shuffles = Shuffles(
      plan, workers: limits.jobs, folder: limits.tempDirectory,
      wantsVerdicts: configuration.verdicts, wantsEvents: configuration.index,
      choice: configuration.events,
      remembers: configuration.history != nil, apps: configuration.apps.map(\.id), ends: ends)
    self.shuffles = shuffles
    devices =
      configuration.schema.definition.namesDevices
      ? RowSorter(
        RowSorter.Settings(
          keyLength: DeviceRow.keyLength, writers: limits.jobs, memory: plan.deviceShuffle,
          folder: limits.tempDirectory, inlet: ends.inlet(.device), outlet: ends.outlet(.device)))
      : nil
    let policy = SeverityPolicy(overrides: configuration.severities)
    let accepted = AcceptedFindings(configuration.accepted, day: configuration.day)
    for finding in accepted.expired { run.notice(finding.expiry) }
    self.accepted = accepted
    let replaced = try ReplacedFindings(configuration.history)
    self.replaced = replaced
    findings = (0...limits.jobs).map { index in
      FindingSink(
        policy: policy, accepted: accepted, watched: replaced.fingerprints,
        writer: shuffles.findings.writer(index), texts: shuffles.texts, progress: run.progress)
    }
    verdicts = (0...limits.jobs).map { index in
      VerdictSink(
        writer: shuffles.verdicts?.writer(index), events: shuffles.events?.writer(index),
        amendments: index == limits.jobs ? shuffles.amendments?.writer(0) : nil,
        apps: shuffles.apps,
        choice: configuration.events, texts: shuffles.texts)
    }
    withdrawals = Withdrawals(
      configuration.history, shuffles, severity: { policy.severity($0, $1) })
    // What the reducers share comes behind the workers'.
    context = ReduceContext(
      detection: configuration.detection, apps: run.verifier.apps, shuffles: shuffles,
      findings: findings[limits.jobs], verdicts: verdicts[limits.jobs], run: run.state,
      progress: run.progress, events: configuration.events, history: configuration.history,
      withdrawals: withdrawals, places: EventPlaces(names, configuration.history))
  }

  /// Withdraws the findings about damage that neither the run nor one of its stages elsewhere, which saw
  /// `others`, has seen again.
  func withdrawReplaced(_ others: Set<UInt64> = []) throws(AuditError) {
    try replaced.withdraw(seen.union(others), withdrawals)
  }

  /// The findings about damage that were seen again.
  private var seen: Set<UInt64> {
    findings.reduce(into: Set<UInt64>()) { $0.formUnion($1.seen) }
  }

  /// Tells them where the run is settled elsewhere.
  func tellSeen() throws(AuditError) {
    for fingerprint in seen.sorted() { try context.history?.rows?.add(seen: fingerprint) }
  }

  /// Adds to the totals what the sinks and shuffles have counted.
  func count(into totals: inout AuditTotals) {
    totals.accepted = accepted.entries.map { AcceptedCount($0) }
    for sink in findings { totals.add(sink) }
    for sink in verdicts {
      for (index, count) in sink.counts.enumerated() { totals.verdicts[index] += count }
    }
    totals.spilledBytes += UInt64(shuffles.spilledBytes + (devices?.spilledBytes ?? 0))
  }

  /// Hands over what the shuffles that go elsewhere still hold; once no writer is in use any more.
  func flush() throws(AuditError) {
    for sorter in shuffles.all + [devices].compactMap(\.self) { try sorter.handAllOver() }
  }
}

extension AuditRun {
  /// Returns how the memory of the run is divided, whose sources have that number.
  func memoryPlan(sources: Int) -> MemoryPlan {
    let limits = configuration.limits
    return MemoryPlan(
      memory: limits.memory, jobs: limits.jobs, verdicts: configuration.verdicts,
      events: configuration.index, verifier: configuration.verification.verifier,
      inputBytes: inputBytes, sources: sources)
  }
}

extension AuditTotals {
  fileprivate mutating func add(_ sink: FindingSink) {
    for (index, count) in sink.bySeverity.enumerated() { findingsBySeverity[index] += count }
    for (index, count) in sink.byCode.enumerated() { findingsByCode[index] += count }
    for (index, worst) in sink.worstByCode.enumerated() {
      worstByCode[index] = [worstByCode[index], worst].compactMap(\.self).max()
    }
    for (index, count) in sink.byAcceptance.enumerated() { accepted[index].count += count }
    for (index, count) in sink.byBreakthrough.enumerated() { accepted[index].graver += count }
  }

  /// Returns what is said of apps that no setting names, or nil if that is not worth saying.
  func unconfiguredNotice(_ configuration: AuditConfiguration) -> String? {
    let accepted = AcceptedFindings(configuration.accepted, day: configuration.day)
    let rest = unconfigured.removing { accepted.coversMismatches(of: $0) }
    return rest.areWorthNotice(of: records.attestations + records.assertions) ? rest.notice : nil
  }

  /// Throws where a line is lost from the count.
  func check() throws(AuditError) {
    let (lines, blank) = (records.lines, records.blank)
    let counted =
      blank + records.skipped + records.unreadable + records.attestations + records.assertions
      + records.challenges + records.deviceCheckTokens
    let judged = verdicts.reduce(0, +)
    guard counted == lines, judged + blank == lines, count(.challenge) == records.challenges,
      count(.unreadable) == records.unreadable
    else {
      throw AuditError(
        .inconsistent,
        "\(lines) lines were read, but \(counted) were counted and \(judged) judged, "
          + "\(blank) blank")
    }
  }
}
