internal import AppAttest
internal import RowShuffle

/// The shuffles of one run and what they share.
final class Shuffles: Sendable {
  let texts: TextStore
  let byKey: RowSorter
  /// The hashes that the shuffle by clientDataHash has to bring together, or nil for all.
  let repeated: RepeatedHashes?
  /// The places that tell an engine elsewhere which hashes there are, or nil if it does not ask.
  let places: HashPlaces?
  /// The devices that attestations of this run name, or nil if nothing is remembered of earlier runs.
  let attestedDevices: AttestedDevices?
  /// Events whose hash may repeat, in this run or over runs, from the reducer.
  let byHash: RowSorter
  /// ``KeptRecord``s for later runs. Nil if there are none, or if they are elsewhere.
  let records: RowSorter?
  /// Challenges, from the workers; read with `byHash`.
  let challenges: RowSorter
  let findings: RowSorter
  let keys: RowSorter
  let rejects: RowSorter
  let builds: RowSorter
  /// The verdicts, or nil if they are not wanted.
  let verdicts: RowSorter?
  /// Verdicts in order of key and time. Nil if they are not wanted so.
  let events: RowSorter?
  /// The place of what does not fit into memory.
  let space: SpillSpace
  /// Bytes for each sorter of the events of one clientDataHash.
  let groupSorter: Int
  /// The App IDs of the configured apps, which rows of events name by their place here.
  let apps: [String]

  /// Makes the shuffles for `workers` threads, and one that joins devices; reducers have the workers'
  /// writers. `remembers` is true if earlier runs are known, `ends` are shuffles elsewhere, and `other`
  /// those of a run that reads the same records.
  init(
    _ plan: MemoryPlan, workers: Int, folder: String, wantsVerdicts: Bool,
    wantsEvents: Bool = false, eventKeys: Set<Digest256>? = nil,
    remembers: Bool = false, apps: [String] = [], ends: ShuffleEnds = .none,
    beside other: Shuffles? = nil
  ) {
    let space = SpillSpace(folder: folder, writers: workers)
    let budget = plan.sharedRows > 0 ? RowBudget(bytes: plan.sharedRows) : nil
    self.space = space
    groupSorter = plan.groupSorter
    self.apps = apps
    attestedDevices = remembers ? AttestedDevices() : nil
    // Where a shuffle is elsewhere, others may have the same hashes. A choice of keys needs all of earlier runs.
    repeated =
      if let other {
        other.repeated
      } else if remembers && eventKeys != nil || !ends.areNone {
        ends.repeated
      } else {
        RepeatedHashes(bytes: plan.repeatedHashes, eventKeys: eventKeys)
      }
    places = ends.places
    let leavesRecords = remembers && ends.areNone
    let hashMemory = leavesRecords ? plan.hashShuffle / 3 : plan.hashShuffle
    texts = other?.texts ?? ends.texts ?? TextStore(folder: folder)
    func sorter(
      _ form: RowForm?, _ keyLength: Int, _ memory: Int, merge: Int? = nil, writers: Int,
      spillsAside: Bool = false, isReadOnce: Bool = false, readers: Int = 1, hasInlet: Bool = true
    ) -> RowSorter {
      RowSorter(
        RowSorter.Settings(
          keyLength: keyLength, writers: writers, memory: memory, mergeMemory: merge,
          space: space, spillsAside: spillsAside, isReadOnce: isReadOnce, readers: readers,
          inlet: hasInlet ? form.flatMap(ends.inlet) : nil, outlet: form.flatMap(ends.outlet),
          budget: spillsAside ? nil : budget))
    }
    let reducers = plan.reducers
    byKey = sorter(
      .event, EventRow.keyLength, plan.keyShuffle, merge: plan.keyShuffle + plan.sharedRows / 2,
      writers: workers, isReadOnce: true, readers: reducers)
    byHash = sorter(
      .hash, HashRow.keyLength, hashMemory, writers: reducers, spillsAside: true,
      isReadOnce: true, readers: reducers)
    records =
      leavesRecords
      ? RowSorter(
        RowSorter.Settings(
          keyLength: KeptRecord.byteCount, writers: reducers,
          memory: plan.hashShuffle - hashMemory, space: space, isReadOnce: true)) : nil
    // Elsewhere they are among the rows of `byHash`.
    challenges = sorter(
      .hash, HashRow.keyLength, plan.challenges, writers: workers, isReadOnce: true,
      readers: reducers, hasInlet: false)
    /// Returns a sorter of rows of the report, which are merged one form after the other.
    func reported(_ form: RowForm?, _ keyLength: Int, _ memory: Int, writers: Int) -> RowSorter {
      sorter(form, keyLength, memory, merge: plan.hashShuffle, writers: writers)
    }
    findings = reported(.finding, FindingRow.keyLength, plan.findings, writers: workers + 1)
    keys = reported(.key, KeyRow.keyLength, plan.keys, writers: reducers)
    builds = reported(.build, BuildLedger.keyLength, plan.builds, writers: reducers)
    rejects = reported(.reject, RejectRow.keyLength, plan.rejects, writers: workers)
    verdicts =
      wantsVerdicts
      ? reported(.verdict, VerdictRow.keyLength, plan.verdicts, writers: workers + 1) : nil
    events =
      wantsEvents
      ? sorter(nil, VerdictRow.eventKeyLength, plan.events, writers: workers + 1) : nil
  }

  var all: [RowSorter] {
    [byKey, byHash, challenges, findings, keys, rejects, builds]
      + [records, verdicts, events].compactMap(\.self)
  }
}
