internal import AppAttest
internal import AuditLog
internal import Basics
internal import RowShuffle
internal import SignatureBatch

/// The parts that the stages of a run share: its memory, its shuffles, and its sinks.
struct RunParts {
  let plan: MemoryPlan
  /// The tables of P-256, or nil if OpenSSL verifies all signatures.
  let baseTables: BaseTables?
  /// The tables that workers judge batches of attestations with, or nil if OpenSSL judges each.
  let signingKeys: SigningKeyTables?
  let shuffles: Shuffles
  /// The shuffle by device, or nil if devices are not joined.
  let devices: RowSorter?
  /// The sinks of workers, then that of readers and the join by device, then those of reducers.
  let findings: [FindingSink]
  let verdicts: [VerdictSink]
  let withdrawals: Withdrawals
  /// The context of the join by device.
  let context: ReduceContext
  let reducers: [ReduceContext]
  private let policy: SeverityPolicy
  private let accepted: AcceptedFindings
  private let replaced: ReplacedFindings

  /// Makes the parts of a run. `names` are those of all sources, for sentences. `ends` says which
  /// of the shuffles are elsewhere. `other` are the parts of a run that reads the same records.
  init(
    _ run: AuditRun, names: [String], ends: ShuffleEnds = .none, beside other: RunParts? = nil
  ) throws(AuditError) {
    let configuration = run.configuration
    let limits = configuration.limits
    var plan = run.memoryPlan(sources: names.count)
    // What later runs are to know is written in the order of all keys, and of all hashes.
    if configuration.history != nil || !ends.areNone { plan.reducers = 1 }
    self.plan = plan
    baseTables =
      configuration.verification.verifier == .batch
      ? BaseTables(curve: .p256, arithmetic: .best, width: plan.baseWidth) : nil
    signingKeys = plan.waitingBytes > 0 ? baseTables.map { SigningKeyTables(base: $0) } : nil
    let shuffles = Shuffles(
      plan, workers: limits.jobs, folder: limits.tempDirectory,
      wantsVerdicts: configuration.verdicts, wantsEvents: configuration.index,
      eventKeys: configuration.eventKeys,
      remembers: configuration.history != nil, apps: configuration.apps.map(\.id), ends: ends,
      beside: other?.shuffles)
    self.shuffles = shuffles
    devices =
      configuration.schema.definition.namesDevices
      ? RowSorter(
        RowSorter.Settings(
          keyLength: DeviceRow.keyLength, writers: limits.jobs, memory: plan.deviceShuffle,
          space: shuffles.space, inlet: ends.inlet(.device), outlet: ends.outlet(.device)))
      : nil
    let policy = SeverityPolicy(overrides: configuration.severities)
    let accepted = AcceptedFindings(configuration.accepted, day: configuration.acceptanceDay)
    for finding in accepted.expired { run.notice(finding.expiry) }
    (self.policy, self.accepted) = (policy, accepted)
    let replaced = try ReplacedFindings(configuration.history, reading: run.sources)
    self.replaced = replaced
    // The reducers have the writers of the workers, who are done when they begin.
    let writers = Array(0...limits.jobs) + Array(0..<plan.reducers)
    findings = writers.map { writer in
      FindingSink(
        policy: policy, accepted: accepted, watched: replaced.fingerprints,
        firstSource: configuration.history?.firstSource ?? 0,
        writer: run.simulation == nil ? shuffles.findings.writer(writer) : nil,
        texts: shuffles.texts, progress: run.progress)
    }
    verdicts = writers.map { writer in
      VerdictSink(
        writer: shuffles.verdicts?.writer(writer), events: shuffles.events?.writer(writer),
        apps: shuffles.apps,
        eventKeys: configuration.eventKeys, simulation: run.simulation, texts: shuffles.texts)
    }
    let withdrawals = Withdrawals(configuration.history, shuffles)
    self.withdrawals = withdrawals
    let (findings, verdicts) = (findings, verdicts)
    /// Returns the context of whom the sinks of an index are for.
    func context(_ index: Int, reducer: Int = 0) -> ReduceContext {
      ReduceContext(
        detection: configuration.detection, apps: run.verifier.apps, shuffles: shuffles,
        findings: findings[index], verdicts: verdicts[index], run: run.state,
        progress: run.progress, reducer: reducer, eventKeys: configuration.eventKeys,
        history: configuration.history,
        withdrawals: configuration.history == nil ? Withdrawals(nil) : withdrawals,
        places: EventPlaces(sources: names, history: configuration.history))
    }
    self.context = context(limits.jobs)
    reducers = (0..<plan.reducers).map { context(limits.jobs + 1 + $0, reducer: $0) }
  }

  /// Withdraws the findings about damage that neither the run nor a stage elsewhere has seen again.
  func withdrawReplaced(_ others: Set<UInt64> = []) throws(AuditError) {
    try replaced.withdraw(seen.union(others), withdrawals)
  }

  private var seen: Set<UInt64> {
    findings.reduce(into: Set<UInt64>()) { $0.formUnion($1.seen) }
  }

  /// Passes them on, if the run is settled elsewhere.
  func tellSeen() throws(AuditError) {
    for fingerprint in seen.sorted() { try context.history?.rows?.add(seen: fingerprint) }
  }

  /// Adds to the totals what the sinks and shuffles have counted.
  func count(into totals: inout AuditTotals) {
    totals.accepted = AuditTotals(accepted: accepted).accepted
    for sink in findings {
      totals += sink.totals
      totals.signs += sink.signs
    }
    for sink in verdicts {
      for (index, count) in sink.counts.enumerated() { totals.verdicts[index] += count }
    }
    totals.spilledBytes += UInt64(shuffles.space.writtenBytes)
  }

  func graded(_ totals: AuditTotals) -> GradedTotals { GradedTotals(totals, policy, accepted) }

  /// Hands over what the shuffles that go elsewhere still hold; once no writer is in use any more.
  func flush() throws(AuditError) {
    for sorter in shuffles.all + [devices].compactMap(\.self) { try sorter.handOver() }
  }
}

extension AuditRun {
  /// Returns how the memory of the run is divided, whose sources have that number.
  func memoryPlan(sources: Int) -> MemoryPlan {
    let limits = configuration.limits
    return MemoryPlan(
      memory: limits.memory - (accounted?.lineBytes ?? 0), jobs: limits.jobs,
      verdicts: configuration.verdicts,
      events: configuration.index, verifier: configuration.verification.verifier,
      inputBytes: inputBytes, sources: sources)
  }
}

extension AuditTotals {
  /// Makes totals with a count for each accepted finding.
  init(accepted: AcceptedFindings) {
    self.accepted = accepted.entries.map { AcceptedCount($0) }
  }

  /// Returns the notice about apps that no setting names, or nil if it is not worth one.
  package func unconfiguredNotice(_ configuration: AuditConfiguration) -> String? {
    let accepted = AcceptedFindings(configuration.accepted, day: configuration.acceptanceDay)
    let rest = unconfigured.removing { accepted.coversMismatches(of: $0) }
    // A line with many records counts once among the lines (records.R86).
    let requests = records.attestations + records.assertions + records.items
    return rest.areWorthNotice(of: requests) ? rest.notice : nil
  }

  /// Throws where a line is lost from the count.
  func check() throws(AuditError) {
    let (lines, blank) = (records.lines, records.blank)
    let counted =
      blank + records.known + records.skipped + records.unreadable + records.attestations
      + records.assertions
      + records.challenges + records.deviceCheckTokens
    let judged = verdicts.reduce(0, +)
    // The records beyond the first one of a line are in no other count.
    let isSound =
      records.items > 0
      ? count(.challenge) >= records.challenges && count(.unreadable) >= records.unreadable
      : count(.challenge) == records.challenges && count(.unreadable) == records.unreadable
    guard counted == lines, judged + blank == lines + records.items, isSound,
      count(.known) == records.known
    else {
      throw AuditError(
        .inconsistent,
        "\(lines) lines were read, but \(counted) were counted and \(judged) judged, "
          + "\(blank) blank")
    }
  }
}

/// The context of one of several reducers: settings, shuffles, and where its results go.
struct ReduceContext {
  let detection: DetectionPolicy
  let apps: ConfiguredApps
  let shuffles: Shuffles
  let findings: FindingSink
  let verdicts: VerdictSink
  let run: Cancellation<AuditError>
  let progress: AuditProgress
  /// Its index among the reducers, and that of its writers in shuffles that only reducers write to.
  var reducer = 0
  var eventKeys: Set<Digest256>?
  var history: RunMemory?
  var withdrawals = Withdrawals(nil)
  /// Names the places of events in sentences.
  var places = EventPlaces()
}
