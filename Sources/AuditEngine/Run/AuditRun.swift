internal import AppAttest
internal import AuditLog
internal import Basics
internal import CLinux
internal import Compression
internal import Files
internal import RowShuffle
internal import SignatureBatch
internal import Synchronization

/// The stages of one audit, one after the other.
struct AuditRun {
  var configuration: AuditConfiguration
  let verifier: AttestationVerifier
  var sources: [LogSource]
  /// The files that some of them are copied to, open until the end.
  var copies: [OpenFile] = []
  /// The numbers that the sources have in all positions.
  var numbers: [UInt32]
  var accounted: ReadInputs?
  /// The sources that are another log, once they are read.
  var otherLogs: Set<UInt32> = []
  var key: LineKey
  /// The same while the sources are read.
  var lines: AccountedLines?
  let state: Cancellation<AuditError>
  let progress: AuditProgress
  let notice: @Sendable (String) -> Void
  /// Its part in a simulation, or nil if it is an audit.
  var simulation: SimulationPart?

  mutating func run() throws(AuditError) -> any AuditResult { try run(beside: nil).result }

  /// Carries out the run, and judges the same records by the policies of the run `other`.
  mutating func run(
    beside other: AuditRun?
  ) throws(AuditError) -> (result: SortedResult, other: SortedResult?) {
    let names = sources.map(\.name) + configuration.expected.map(\.entry)
    let arrivals = ExpectedArrivals(
      configuration, sources,
      first: (configuration.history?.firstSource ?? 0) &+ UInt32(clamping: sources.count))
    let parts = try RunParts(self, names: names)
    let beside = try other.map { (other) throws(AuditError) in
      (run: other, parts: try RunParts(other, names: names, beside: parts))
    }
    var totals = AuditTotals()
    lines = accounted.map { AccountedLines($0) }
    // There is one list of all lines.
    accounted = nil
    let inputs = try ingest(parts, beside: beside, &totals)
    accounted = lines?.inputs
    lines = nil
    otherLogs =
      accounted?.otherLogs(
        inputs, from: numbers.first ?? 0, above: configuration.limits.rejectRate) ?? []
    try arrivals.report(inputs, to: parts.context.findings)
    let awaited = AwaitedChallenges(configuration, sources, inputs)
    // They may be very many, and all that is still wanted of them stands in `inputs`.
    sources = []
    let result = try judge(parts, names, inputs, totals, awaited)
    // Lines that are not records are only in this run.
    try result.totals.check()
    let further = try beside.map { (other) throws(AuditError) in
      try other.run.judge(other.parts, names, inputs, AuditTotals())
    }
    return (result, further)
  }

  func judge(
    _ parts: RunParts, _ names: [String], _ inputs: [InputRow], _ counted: AuditTotals,
    _ awaited: AwaitedChallenges? = nil
  ) throws(AuditError) -> SortedResult {
    var totals = counted
    let (shuffles, withdrawals) = (parts.shuffles, parts.withdrawals)
    try join(parts)
    try askForChangedKeys(parts)
    // The workers' memory is free now, and the judges take theirs.
    attest_trim_heap()
    progress.rowsDone.store(0, ordering: .relaxed)
    progress.rowsTotal.store(
      shuffles.byKey.rowCount * 2 + shuffles.challenges.rowCount, ordering: .relaxed)
    let replays = parts.reducers.map { ReplayAudit($0, awaited, otherLogs: otherLogs) }
    try reduceKeys(parts, replays, &totals)
    try askForHashes(parts, checksChallenges: awaited != nil)
    progress.rowsTotal.store(
      shuffles.byKey.rowCount + shuffles.byHash.rowCount + shuffles.challenges.rowCount,
      ordering: .relaxed)
    try reduceHashes(parts, replays)
    if let text = awaited?.notice(replays.reduce(0) { $0 + $1.awaitedCount }) { notice(text) }
    try parts.withdrawReplaced()
    try withdrawals.finish()
    progress.phase = .reporting
    parts.count(into: &totals)
    return SortedResult(
      sources: names, history: configuration.history, inputs: inputs,
      graded: parts.graded(totals), remarks: LogRemarks(totals, configuration, names: names),
      closed: withdrawals.first,
      closedCount: withdrawals.count,
      withdrawn: withdrawals.rows, shuffles: shuffles,
      run: state, accounted: accounted)
  }

  /// The bytes of all inputs as they lie, or nil if one does not say.
  var inputBytes: Int? {
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

  /// Reads the sources and puts their records into the shuffles; the results are in the order of the
  /// sources. `beside` is a run of other policies and its parts, whose shuffles get the records as well.
  func ingest(
    _ parts: RunParts, beside: (run: AuditRun, parts: RunParts)? = nil, _ totals: inout AuditTotals
  ) throws(AuditError) -> [InputRow] {
    progress.phase = .reading
    let workers = (0..<configuration.limits.jobs).map { index in
      IngestWorker(
        self, parts, worker: index,
        beside: beside.map { EventDecoder($0.run, $0.parts, worker: index) })
    }
    let outcome = try Ingest(run: self, plan: parts.plan)
      .read(workers, streams: parts.context.findings)
    for worker in workers {
      totals.records += worker.counts
      totals.unconfigured += worker.unconfigured
    }
    for (index, input) in outcome.inputs.enumerated() {
      if let change = outcome.changes[index] { notice(change.words(input.source)) }
      guard input.isMisread(above: configuration.limits.rejectRate) else { continue }
      var path: String?
      if case .file(let name) = sources[index].origin { path = name }
      notice(input.misreading(by: configuration.schema.name, path, name: input.source))
    }
    return outcome.inputs
  }

  /// Passes the assertions that name only a device on to the shuffle by key identifier.
  func join(_ parts: RunParts) throws(AuditError) {
    guard let join = makeJoin(parts) else { return }
    let start = StageClock.now
    defer { progress.clock.decoding.add(since: start) }
    try join.reduce()
    try state.check()
  }

  /// Returns the join by device, or nil if devices are not joined.
  func makeJoin(_ parts: RunParts) -> DeviceJoin? {
    parts.devices.map { devices in
      DeviceJoin(
        context: parts.context, imported: ImportedDevice.sorted(configuration.knownKeys),
        devices: devices, otherLogs: otherLogs,
        attested: configuration.history?.rows == nil ? parts.shuffles.attestedDevices : nil)
    }
  }

  /// Asks for what earlier runs kept of keys that it changes; before the keys are judged.
  func askForChangedKeys(_ parts: RunParts) throws(AuditError) {
    guard let history = configuration.history, history.mode == .advance else { return }
    let row = RowBuilder(texts: parts.shuffles.texts)
    let writer = parts.shuffles.byKey.writer(0)
    try history.forEachChangedKey { (keyID, isUnsettled) throws(AuditError) in
      EventRow.write(askingFor: keyID, isUnsettled: isUnsettled, row)
      unsafe try writer.append(row.row)
    }
  }

  /// Asks for the hashes of which the last run did not settle everything; before the hashes are judged.
  func askForHashes(_ parts: RunParts, checksChallenges: Bool) throws(AuditError) {
    guard let history = configuration.history, history.mode == .advance else { return }
    let row = RowBuilder(texts: parts.shuffles.texts)
    let writer = parts.shuffles.byHash.writer(0)
    try history.hashes.forEachUnsettled(checksChallenges: checksChallenges) {
      (hash, length) throws(AuditError) in
      HashRow.write(askingFor: hash, length: length, row)
      unsafe try writer.append(row.row)
    }
  }

  /// Judges every key; the replays are those of each reducer.
  func reduceKeys(
    _ parts: RunParts, _ replays: [ReplayAudit], _ totals: inout AuditTotals
  ) throws(AuditError) {
    progress.phase = .verifying
    let judges = (0..<configuration.limits.jobs).map { _ in
      SignatureJudge(
        kernel: parts.baseTables.flatMap {
          P256BatchKernel(tables: $0, arenaBytes: parts.plan.arenaBytes)?.judge
        },
        crossCheck: configuration.verification.crossCheck)
    }
    let deviceField = DeviceText.field(of: configuration.schema.definition)
    let repeated = try repeatedHashes(parts)
    let reducers = zip(parts.reducers, replays).map {
      KeyReducer(
        $0, replays: $1, repeated: repeated, deviceField: deviceField, otherLogs: otherLogs)
    }
    let ranges = try RowRanges(parts.shuffles.byKey)
    let blocks = SpareBlocks(parts.plan.blocks, reducers: reducers.count)
    let knownKeys = configuration.knownKeys.sorted { $0.keyID < $1.keyID }
    let audits = zip(parts.reducers, reducers).map {
      KeyAudit(context: $0, reducer: $1, ranges: ranges, blocks: blocks, knownKeys: knownKeys)
    }
    let crew = Crew(judges, leaders: audits.count, most: parts.plan.blocks.inFlight)
    try crew.run(state) { (leader) throws(AuditError) in try audits[leader.number].reduce(leader) }
    parts.shuffles.byKey.release()
    for reducer in reducers { totals.add(keys: reducer.keyCounts) }
    for judge in judges { totals.signatures.add(judge.tally) }
  }

  /// Returns the hashes of which events are not judged without the others of their hash, or nil for all hashes.
  private func repeatedHashes(_ parts: RunParts) throws(AuditError) -> RepeatedHashes? {
    let repeated = parts.shuffles.repeated
    guard let repeated, let history = configuration.history else { return repeated }
    // What another log says withdraws nothing of the other events of a hash (`pipeline.R15`).
    guard history.knowsKeptHashes, otherLogs.isEmpty, history.unsettled.isEmpty else {
      return nil
    }
    unsafe try history.hashes.forEachFront { unsafe repeated.add(earlier: $0) }
    return repeated
  }

  func reduceHashes(_ parts: RunParts, _ replays: [ReplayAudit]) throws(AuditError) {
    progress.phase = .replays
    let ranges = try RowRanges(parts.shuffles.byHash, with: parts.shuffles.challenges)
    try Crew(replays, leaders: replays.count).run(state) { (leader) throws(AuditError) in
      try leader.state.reduce(ranges)
    }
    parts.shuffles.byHash.release()
    parts.shuffles.challenges.release()
    if let records = parts.shuffles.records, let history = configuration.history {
      try history.remember(hashes: records)
    }
    // The report is written now: it may need the disk, and little is spilled any more.
    parts.shuffles.space.trim()
  }
}

extension SourceChange {
  fileprivate func words(_ source: String) -> String {
    switch self {
    case .grown: "\(source) grew while it was read: new content after its end is not audited"
    case .rewritten: "\(source) was written to while it was read: part of it may not be audited"
    case .replaced:
      "\(source) was replaced or removed after it was read: new content there is not audited"
    }
  }
}
