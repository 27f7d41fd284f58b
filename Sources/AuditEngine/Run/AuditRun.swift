internal import AppAttest
internal import AuditLog
internal import Basics
internal import CLinux
internal import Compression
internal import RowShuffle
internal import SignatureBatch
internal import Synchronization

/// The stages of one audit, one after the other.
struct AuditRun {
  let configuration: AuditConfiguration
  let verifier: AttestationVerifier
  let sources: [LogSource]
  let accounted: AccountedSources?
  let state: Cancellation<AuditError>
  let progress: AuditProgress
  let notice: @Sendable (String) -> Void

  func run() throws(AuditError) -> any AuditResult {
    let limits = configuration.limits
    let plan = MemoryPlan(
      memory: limits.memory, jobs: limits.jobs, verdicts: configuration.verdicts,
      events: configuration.index, verifier: configuration.verification.verifier,
      inputBytes: inputBytes, sources: sources.count)
    let shuffles = Shuffles(
      plan, workers: limits.jobs, folder: limits.tempDirectory,
      wantsVerdicts: configuration.verdicts, wantsEvents: configuration.index,
      choice: configuration.events,
      remembers: configuration.history != nil, apps: configuration.apps.map(\.id))
    let policy = SeverityPolicy(overrides: configuration.severities)
    let accepted = AcceptedFindings(configuration.accepted, day: configuration.day)
    for finding in accepted.expired { notice(finding.expiry) }
    let replaced = try ReplacedFindings(configuration.history)
    // One sink for each worker, and behind them that of the readers and reducers.
    let findings = (0...limits.jobs).map { index in
      FindingSink(
        policy: policy, accepted: accepted, watched: replaced.fingerprints,
        writer: shuffles.findings.writer(index), texts: shuffles.texts, progress: progress)
    }
    let verdicts = (0...limits.jobs).map { index in
      VerdictSink(
        writer: shuffles.verdicts?.writer(index), events: shuffles.events?.writer(index),
        amendments: index == limits.jobs ? shuffles.amendments?.writer(0) : nil,
        apps: shuffles.apps,
        choice: configuration.events, texts: shuffles.texts)
    }
    let withdrawals = Withdrawals(
      configuration.history, shuffles, severity: { policy.severity($0, $1) })
    var totals = AuditTotals()
    totals.accepted = accepted.entries.map { AcceptedCount($0) }
    // What the reducers share comes behind the workers'.
    let context = ReduceContext(
      detection: configuration.detection, apps: verifier.apps, shuffles: shuffles,
      findings: findings[limits.jobs], verdicts: verdicts[limits.jobs], run: state,
      progress: progress, events: configuration.events, history: configuration.history,
      withdrawals: withdrawals,
      places: EventPlaces(sources.map(\.name), configuration.history))
    let inputs = try ingest(
      plan, context, Array(zip(findings, verdicts).prefix(limits.jobs)), &totals)
    // The workers' memory is free now, and the judges take theirs.
    attest_trim_heap()
    progress.rowsTotal.store(
      shuffles.byKey.rowCount * 2 + shuffles.challenges.rowCount, ordering: .relaxed)
    try reduce(plan, context, &totals)
    let seen = findings.reduce(into: Set<UInt64>()) { $0.formUnion($1.seen) }
    try replaced.withdraw(seen, withdrawals)
    try withdrawals.finish()
    progress.phase = .reporting
    for sink in findings { totals.add(sink) }
    for sink in verdicts {
      for (index, count) in sink.counts.enumerated() { totals.verdicts[index] += count }
    }
    totals.spilledBytes += UInt64(shuffles.spilledBytes)
    try checkCounts(totals)
    return SortedResult(
      sources: sources.map(\.name), history: configuration.history, inputs: inputs,
      totals: totals, closed: withdrawals.first, closedCount: withdrawals.count,
      withdrawn: withdrawals.rows, shuffles: shuffles,
      run: state, accounted: accounted)
  }

  /// The bytes of all inputs as they lie, or nil if one does not say.
  private var inputBytes: Int? {
    var bytes = 0
    for source in sources {
      switch source.origin {
      case .file where source.size > 0: bytes += Int(clamping: source.size)
      case .unreadable, .duplicate, .known, .waiting: continue
      case .file, .standardInput: return nil
      }
    }
    return bytes
  }

  private func ingest(
    _ plan: MemoryPlan, _ reduces: ReduceContext,
    _ sinks: [(findings: FindingSink, verdicts: VerdictSink)], _ totals: inout AuditTotals
  ) throws(AuditError) -> [InputRow] {
    progress.phase = .reading
    let devices = makeDevices(plan)
    let context = IngestContext(
      verifier: verifier, detection: configuration.detection, shuffles: reduces.shuffles,
      devices: devices, batches: makeBatches(plan), schema: configuration.schema,
      lineLimit: configuration.limits.lineBytes, run: state, progress: progress)
    let workers = sinks.enumerated().map { index, sinks in
      IngestWorker(
        context, worker: index, findings: sinks.findings, verdicts: sinks.verdicts)
    }
    let ingest = Ingest(
      sources: sources, firstSource: configuration.history?.firstSource ?? 0, plan: plan,
      limits: configuration.limits, context: context)
    let results = try ingest.read(workers, streams: reduces.findings)
    for worker in workers {
      totals.records += worker.counts
      totals.unconfigured.add(worker.unconfigured)
    }
    let accepted = AcceptedFindings(configuration.accepted, day: configuration.day)
    let unconfigured = totals.unconfigured.removing { accepted.coversMismatches(of: $0) }
    let requests = totals.attestations + totals.assertions
    if unconfigured.areWorthNotice(of: requests), let text = unconfigured.notice { notice(text) }
    for (source, result) in zip(sources, results) {
      if let change = result.summary.change { notice(change.words(source.name)) }
      warn(source, result)
    }
    if let devices {
      try join(devices, reduces)
      totals.spilledBytes += UInt64(devices.spilledBytes)
    }
    return zip(sources, results).map { InputRow($0, $1) }
  }

  /// Returns what attestations are judged in batches with, or nil if OpenSSL judges each by
  /// itself.
  private func makeBatches(_ plan: MemoryPlan) -> AttestationAudit.Shared? {
    let policy = configuration.verification
    guard policy.verifier == .batch, plan.batchesAttestations else { return nil }
    return AttestationAudit.Shared(tables: SigningKeyTables(), crossCheck: policy.crossCheck)
  }

  /// Returns the shuffle by device, or nil if devices are not joined.
  private func makeDevices(_ plan: MemoryPlan) -> RowSorter? {
    guard configuration.schema.definition.namesDevices else { return nil }
    return RowSorter(
      RowSorter.Settings(
        keyLength: DeviceRow.keyLength, writers: configuration.limits.jobs,
        memory: plan.deviceShuffle, folder: configuration.limits.tempDirectory))
  }

  /// Passes the assertions that name only a device on to the shuffle by key identifier.
  private func join(
    _ devices: RowSorter, _ context: ReduceContext
  ) throws(AuditError) {
    let start = StageClock.now
    defer { progress.clock.decoding.add(since: start) }
    try DeviceJoin(
      context: context, knownKeys: configuration.knownKeys, devices: devices,
      attested: context.shuffles.attestedDevices
    ).reduce()
    try state.check()
  }

  /// Says where an input looks as if it were read with the wrong schema.
  private func warn(_ source: LogSource, _ result: Ingest.SourceResult) {
    guard InputRow(source, result).isMisread(above: configuration.limits.rejectRate) else { return }
    if case .file(let path) = source.origin, let content = ForeignContent.of(path: path) {
      return notice(
        "\(source.name) is \(content.name), and no JSON Lines; \(content.command) | attest-audit "
          + "audit - --stdin-name \(ShellText.quoted(source.name)) reads it")
    }
    notice(
      "\(result.unreadable) of \(result.lines) \(result.lines == 1 ? "line" : "lines") of "
        + "\(source.name) cannot be read with the schema \(configuration.schema.name): is it another log? attest-audit init "
        + "\(source.name) infers a schema")
  }

  private func reduce(
    _ plan: MemoryPlan, _ context: ReduceContext, _ totals: inout AuditTotals
  ) throws(AuditError) {
    progress.phase = .verifying
    let shuffles = context.shuffles
    let judges = makeJudges(plan)
    let replays = ReplayAudit(context)
    let reducer = KeyReducer(
      context, replays: replays, deviceField: DeviceText.field(of: configuration.schema.definition))
    try KeyAudit(
      context: context, pool: WorkerPool(label: "verify", states: judges), plan: plan.blocks,
      knownKeys: configuration.knownKeys.sorted { $0.keyID < $1.keyID }
    ).reduce(into: reducer)
    try state.check()
    totals.keys = reducer.keyCounts
    for judge in judges { totals.signatures.add(judge.tally) }
    progress.phase = .replays
    progress.rowsTotal.store(
      shuffles.byKey.rowCount + shuffles.byHash.rowCount + shuffles.challenges.rowCount,
      ordering: .relaxed)
    try replays.reduce()
    try state.check()
  }

  private func makeJudges(_ plan: MemoryPlan) -> [SignatureJudge] {
    let policy = configuration.verification
    let tables = policy.verifier == .batch ? BaseTables(curve: .p256, arithmetic: .best) : nil
    return (0..<configuration.limits.jobs).map { _ in
      SignatureJudge(
        kernel: tables.flatMap { P256BatchKernel(tables: $0, arenaBytes: plan.arenaBytes) },
        crossCheck: policy.crossCheck)
    }
  }

  /// Throws where a line is lost from the count.
  private func checkCounts(_ totals: AuditTotals) throws(AuditError) {
    let counted =
      totals.blank + totals.skipped + totals.unreadable + totals.attestations + totals.assertions
      + totals.challenges + totals.deviceCheckTokens
    let judged = totals.verdicts.reduce(0, +)
    guard counted == totals.lines, judged == totals.lines - totals.blank,
      totals.count(.challenge) == totals.challenges, totals.count(.unreadable) == totals.unreadable
    else {
      throw AuditError(
        .inconsistent,
        "\(totals.lines) lines were read, but \(counted) were counted and \(judged) judged, "
          + "\(totals.blank) blank")
    }
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
}

extension InputRow {
  fileprivate init(_ source: LogSource, _ result: Ingest.SourceResult) {
    let summary = result.summary
    let status: Status
    switch (source.origin, summary.damage) {
    case (.duplicate, _): status = .duplicate
    case (.known, _): status = .known
    case (.waiting, _): status = .waiting
    case (_, nil): status = .ok
    case (_, .truncated): status = .truncated
    case (_, .corrupt): status = .corrupt
    case (_, .unreadable): status = .unreadable
    }
    self.init(
      source: source.name, bytes: summary.bytes, decompressedBytes: summary.decompressedBytes,
      lines: result.lines, unreadableLines: result.unreadable,
      sha256: summary.sha256.flatMap { Digest256($0) }, status: status,
      isGrown: source.part.map { $0.from > 0 } ?? false)
    hasChanged = summary.change.map { $0 != .grown } ?? false
    hours = result.hours
  }
}

extension SourceChange {
  /// Returns what is said of a source to which it happened.
  fileprivate func words(_ source: String) -> String {
    switch self {
    case .grown: "\(source) grew while it was read: what came behind its end is not audited"
    case .rewritten: "\(source) was written to while it was read: part of it may not be audited"
    case .replaced:
      "another file lies at \(source) since it was read, or none: what lies there is not audited"
    }
  }
}
