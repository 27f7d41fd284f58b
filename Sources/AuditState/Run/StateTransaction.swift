package import AuditEngine
internal import AuditLog
internal import Files
internal import Glibc
internal import Synchronization

/// One run with a state: what it asks and remembers (``history``), and how that becomes part of the
/// state, all of it or nothing.
///
/// For `advance` the steps are: ``announce(report:)`` before any part of the report is on the disk;
/// the audit, and the report written aside; ``prepare(_:)``; the report put in place; ``commit()``;
/// ``finish()``. Where anything fails, ``abandon()``. Killed anywhere, the next opening for
/// `advance` finds all of the run or clears away what it left.
package final class StateTransaction: Sendable {
  private enum Phase {
    case running, prepared, committed, over
  }

  package let history: RunMemory
  let number: Int64
  private let directory: StateDirectory
  private let facts: TransactionFacts
  private let keys: RunKeys
  private let hashes: RunHashes
  private let events: RunEvents
  private let findings: RunFindings
  private let builds: RunBuilds
  private let names: SourceNameMemory
  private let phase = Mutex(Phase.running)
  /// The place of the report: a folder without links, and a name in it.
  private let report = Mutex<(folder: String, last: String)?>(nil)
  /// Whether an intent in the state is this run's.
  private let isAnnounced = Atomic<Bool>(false)
  /// Segments that leave the state with this run's commit.
  private let expired: [SegmentEntry]
  /// The runs whose lines leave it.
  package var forgotten: Set<Int64> {
    Set(expired.filter { $0.kind == .hashes }.map(\.run))
  }

  init(_ directory: StateDirectory, _ facts: TransactionFacts) throws(StateError) {
    self.directory = directory
    self.facts = facts
    let database = directory.database
    let folder = directory.folder
    let segments = try RunSegments(directory, facts)
    expired = segments.expired
    let last = try RunTable.last(database)
    let first = try MetaTable.value(database, .nextSource)
    guard let firstSource = UInt32(exactly: first), last >= 0, last < Int64.max else {
      throw StateError(.full, "the state \(folder.path) has numbered as many sources as it can")
    }
    let number = last + 1
    self.number = number
    keys = try RunKeys(database, folder: folder)
    func writer(_ kind: SegmentKind) -> SegmentWriter {
      SegmentWriter(kind, folder, run: number, isAdvance: directory.mode == .advance)
    }
    let replaced = try InputTable.replacedLines(database)
    let others = replaced.filter { $0.value.contains(RunMemory.allLines) }.keys
    var unsettled: Set<UInt32> = []
    for source in others where try InputTable.run(database, of: source) == last {
      unsettled.insert(source)
    }
    hashes = RunHashes(
      segments.hashes, clock: facts.startedAt, writer(.hashes), writer(.prefixes),
      awaited: try MetaTable.awaited(database), unsettled: unsettled)
    events = RunEvents(segments.events, writer(.events))
    findings = RunFindings(database, folder: folder, run: number)
    builds = RunBuilds(database, folder: folder)
    let names = SourceNameMemory(database)
    self.names = names
    var history = RunMemory(
      mode: directory.mode, firstSource: firstSource, sourceName: { names.name($0) }, keys: keys,
      hashes: hashes, events: events, findings: findings)
    let places = try SourcePlaces(database, count: firstSource)
    history.builds = builds
    history.knowsKeptHashes = Set(segments.events.map(\.entry.run)).isSubset(
      of: segments.hashes.map(\.records.entry.run))
    history.hasAttestations =
      try database.number("SELECT 1 FROM keys WHERE first_source IS NOT NULL LIMIT 1") != nil
    history.origins = try InputTable.origins(database)
    history.replacedLines = replaced
    history.unsettled = unsettled
    history.orderSources = { names, origins throws(AuditError) in
      try places.adding(names, origins, database).order()
    }
    self.history = history
  }

  deinit {
    abandon()
  }

  /// Returns what the state will hold once the run is committed; for `reference` what it holds.
  package func figures() throws(StateError) -> StateFigures {
    StateFigures(
      runs: UInt64(clamping: directory.mode == .advance ? number : number - 1),
      keys: try keys.count(), rememberedHashes: hashes.count)
  }

  /// Records on the disk, before it is written, which report this run is going to write, so that no
  /// part of it stays if the run is killed; `advance` only. The folder of the path must exist.
  package func announce(report path: String?) throws(StateError) {
    guard directory.mode == .advance else { return }
    let place = try path.map { (path) throws(StateError) in try PathText.place(path) }
    report.withLock { $0 = place }
    isAnnounced.store(true, ordering: .relaxed)
    try StateIntent(runID: facts.id, pid: getpid(), report: place?.last)
      .write(in: directory.folder)
  }

  /// Brings everything to the disk that the run remembered, but for the commit itself, once the report
  /// is written aside; `advance` only. If it throws, the state is as before.
  package func prepare(_ outcome: TransactionOutcome) throws(StateError) {
    guard directory.mode == .advance else { return }
    if let failure = names.failure { throw failure }
    let database = directory.database
    let folder = directory.folder
    let written = try hashes.finish() + [try events.writer.finish(hashes.times)].compactMap(\.self)
    for segment in written { try folder.flush(segment.kind.folder) }
    database.rollBack()
    if facts.generations > 0 { try directory.generations.keep(before: number) }
    try database.write(commits: false) { () throws(StateError) in
      try apply(outcome, written)
    }
    phase.withLock { $0 = .prepared }
  }

  private func apply(
    _ outcome: TransactionOutcome, _ written: [SegmentEntry]
  ) throws(StateError) {
    let database = directory.database
    let first = Int64(history.firstSource)
    let end = first + Int64(outcome.sources.count)
    guard end <= Int64(UInt32.max) else {
      throw StateError(.full, "the state \(directory.path) has no numbers for more sources")
    }
    try RunTable.table.insert(
      database,
      CommittedRun(
        number: number, id: facts.id, day: facts.day, started: facts.startedAt,
        finished: outcome.finishedAt, mode: directory.mode.rawValue,
        report: report.withLock { $0 }.map { PathText.join($0.folder, $0.last) },
        totals: outcome.totals,
        windows: facts.windows))
    var history = history
    history.takeOrigins(outcome.inputs)
    let places = try SourcePlaces(database, count: history.firstSource)
      .adding(outcome.sources, history.origins, database)
    if try places.order() != SourceOrder() {
      try InputTable.put(database, order: places.numbers)
    }
    for (index, name) in outcome.sources.enumerated() {
      let source = history.firstSource + UInt32(index)
      try InputTable.sources.insert(
        database, InputTable.Source(number: source, run: number, name: name))
    }
    try MetaTable.set(database, .nextSource, end)
    try StateAge.note(database, latest: hashes.times.latestPast)
    try MetaTable.set(
      database, hashes.awaitedFrom.map { AwaitedRun(run: number, from: $0) } ?? hashes.awaited)
    if let key = outcome.lineKey { try MetaTable.set(database, key) }
    for input in outcome.inputs { try InputTable.insert(database, input, run: number) }
    for input in outcome.explained {
      try InputTable.put(database, replaced: input.superseded, of: input.source)
    }
    try keys.apply(run: number)
    let others = outcome.explained.filter { $0.superseded.contains(RunMemory.allLines) }
    try findings.apply(
      day: facts.day, firstSource: history.firstSource, others: Set(others.map(\.source)))
    try builds.apply(day: facts.day)
    for segment in expired { try SegmentTable.forget(database, segment) }
    for segment in written { try SegmentTable.table.insert(database, segment) }
  }

  /// Makes everything that was prepared part of the state; `advance` only. If it throws, the state
  /// is as before.
  package func commit() throws(StateError) {
    guard directory.mode == .advance else { return }
    guard phase.withLock({ $0 }) == .prepared else {
      throw StateError(.file(EINVAL), "a run is committed that is not prepared")
    }
    try directory.database.commit()
    phase.withLock { $0 = .committed }
  }

  /// Tidies up after the commit: what fails is done when the state is opened next.
  package func finish() {
    guard phase.withLock({ $0 }) == .committed else { return }
    phase.withLock { $0 = .over }
    for segment in expired { try? directory.folder.remove(segment.path) }
    directory.database.mergeLog()
    try? directory.generations.remove(before: number - Int64(facts.generations) + 1)
    if isAnnounced.load(ordering: .relaxed) { try? StateIntent.remove(in: directory.folder) }
  }

  /// Forgets everything that is not committed, with its report; more than once does no harm.
  package func abandon() {
    let before = phase.withLock { phase in
      defer { if phase != .committed { phase = .over } }
      return phase
    }
    guard before == .running || before == .prepared else { return }
    let database = directory.database
    database.rollBack()
    guard directory.mode == .advance else { return }
    let folder = directory.folder
    for kind in SegmentKind.allCases { try? folder.remove(kind.path(number)) }
    guard isAnnounced.load(ordering: .relaxed), let intent = try? StateIntent.read(in: folder)
    else { return }
    let reports = report.withLock { $0.map { Folder(path: $0.folder) } }
    try? StateDebris.undo(intent, isCommitted: false, folder, reports: reports)
  }
}
