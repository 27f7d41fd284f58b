/// The shuffles of one run and what they share.
final class Shuffles: Sendable {
  let texts: TextStore
  let byKey: RowSorter
  /// Which hashes the shuffle by clientDataHash has to bring together.
  let repeated: RepeatedHashes
  /// Events whose hash may repeat, from the reducer.
  let byHash: RowSorter
  /// Challenges, from the workers; read with `byHash`.
  let challenges: RowSorter
  let findings: RowSorter
  let keys: RowSorter
  let rejects: RowSorter
  /// Nil where verdicts are not wanted.
  let verdicts: RowSorter?
  let folder: String

  /// `workers` threads write to all of them, and behind them one reducer: the writer of the
  /// highest index is its own.
  init(_ plan: MemoryPlan, workers: Int, folder: String, wantsVerdicts: Bool) {
    self.folder = folder
    repeated = RepeatedHashes(bytes: plan.repeatedHashes)
    texts = TextStore(folder: folder)
    func sorter(_ keyLength: Int, _ memory: Int, writers: Int, spillsAside: Bool = false)
      -> RowSorter
    {
      RowSorter(
        RowSorter.Settings(
          keyLength: keyLength, writers: writers, memory: memory, folder: folder,
          spillsAside: spillsAside))
    }
    byKey = sorter(EventRow.keyLength, plan.keyShuffle, writers: workers)
    byHash = sorter(HashRow.keyLength, plan.hashShuffle, writers: 1, spillsAside: true)
    challenges = sorter(HashRow.keyLength, plan.challenges, writers: workers)
    findings = sorter(FindingRow.keyLength, plan.findings, writers: workers + 1)
    keys = sorter(KeyRow.keyLength, plan.keys, writers: 1)
    rejects = sorter(RejectRow.keyLength, plan.rejects, writers: workers)
    verdicts =
      wantsVerdicts
      ? sorter(VerdictRow.keyLength, plan.verdicts, writers: workers + 1) : nil
  }

  /// Bytes spilled by all of them.
  var spilledBytes: Int {
    [byKey, byHash, challenges, findings, keys, rejects].reduce(0) { $0 + $1.spilledBytes }
      + (verdicts?.spilledBytes ?? 0)
  }
}
