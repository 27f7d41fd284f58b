internal import SignatureBatch

/// The division of `--memory`, a bound on the whole process.
struct MemoryPlan: Sendable, Equatable {
  /// The least that a run can be told to live in.
  static let minimum = 64 << 20
  /// The program itself, its libraries, threads and small objects.
  static let baseline = 40 << 20
  /// The smallest batch that is worth a job of its own.
  static let leastBatchBytes = 1 << 15

  /// The smallest block: more than the longest row.
  static let leastBlockBytes = 1 << 16

  /// The bytes of a block in which the events of a batch of signatures have room.
  static let bestBlockBytes = 3 << 19

  /// The events of a block, which share one inversion for each step of verification.
  static let blockRows = 4096

  /// The bytes of one worker's verifiers of attestations.
  static let attestationVerifierBytes = 1 << 20

  /// The least and the most bytes of records of attestations that wait in one worker.
  static let waitingBytesRange = 1 << 18...3 << 20

  /// The tables that all workers verify with: multiples of base points and of a few keys.
  static let tableBytes = 7 << 20

  /// The least that a worker can be told to live in: its share of each shuffle, a batch and a block.
  static let workerBytes = 512 << 10

  /// The rows by key identifier for which one more reducer is worth its runs and buffers.
  static let reducerBytes = 16 << 20

  /// The bytes that one input takes: its name, its identity, and its outcome.
  static let sourceBytes = 1 << 10

  /// The memory below which a run reads one input at a time.
  static let smallMemory = 240 << 20

  /// The least bytes of rows of all shuffles, before a margin is taken off: what spilling needs.
  static let leastRowBytes = 8 << 20

  /// The bytes of inputs below which wide tables of the base point cost more than they save.
  static let smallInput = 16 << 20

  /// Bytes of one batch of lines.
  let batchBytes: Int
  /// The bits of a digit of the tables of P-256's base point.
  let baseWidth: Int
  let readers: Int
  /// Batches that wait for a thread which decodes them.
  let waitingBatches: Int
  /// The memory of one worker's batch verifier.
  let arenaBytes: Int
  /// The blocks in which signatures wait for their verifiers.
  let blocks: BlockPlan
  /// The bytes of attestations that wait in one worker for others, or 0 if they do not.
  let waitingBytes: Int
  let keyShuffle: Int
  /// The number of ranges of keys, and later of hashes, that are judged at once.
  var reducers: Int
  /// The bytes of ``RepeatedHashes``.
  let repeatedHashes: Int
  let hashShuffle: Int
  /// Rows by device. They have left when the first row by clientDataHash comes, and have its room.
  var deviceShuffle: Int { hashShuffle }
  /// Each of a reducer's sorters, at most eight, of the events of a frequent clientDataHash.
  var groupSorter: Int { max((keyShuffle + sharedRows / 2) / 8 / reducers, 2 << 20) }
  let challenges: Int
  /// Findings; keys, rejects and verdicts have as much together.
  let findings: Int
  let keys: Int
  let rejects: Int
  let builds: Int
  let verdicts: Int
  let events: Int
  /// Bytes that all of these except the rows by clientDataHash share, in addition to those of each.
  let sharedRows: Int

  /// Divides the memory. `inputBytes` are those of the inputs as stored; `sources` is their number.
  init(
    memory: Int, jobs: Int, verdicts wantsVerdicts: Bool, events wantsEvents: Bool = false,
    verifier: SignatureVerifier = .batch, inputBytes: Int? = nil, sources: Int = 0
  ) {
    // The list of the inputs is there before anything is read.
    let memory = max(memory - sources * Self.sourceBytes, Self.minimum)
    let isSmall = memory < Self.smallMemory
    let readers = isSmall ? 1 : min(jobs, 1 + memory / (512 << 20))
    // Readers and workers have batches, and some wait, while attestations gather and are judged.
    waitingBatches = jobs + 4
    let batchCount = jobs + 2 * readers + waitingBatches
    var batchBytes = isSmall ? 1 << 18 : 1 << 19
    // Many workers share a small memory in smaller batches.
    while batchBytes > Self.leastBatchBytes,
      batchCount * batchBytes > (memory - Self.baseline) / 4
    {
      batchBytes /= 2
    }
    let isShort = inputBytes.map { $0 < Self.smallInput } ?? false
    baseWidth = isShort ? KeyTables.usualWidth : BaseTables.usualWidth
    self.readers = readers
    self.batchBytes = batchBytes
    let batches = batchCount * batchBytes + readers * (8 << 20)
    // Enough blocks that no worker waits for the reducer, which takes a few percent of their time.
    let inFlight = verifier == .batch ? 2 * jobs + 2 : 4 * jobs + 4
    // One is being filled, and one reduced.
    let blockCount = inFlight + 2
    var blockBytes = batches / 3 / blockCount
    if !isSmall {
      blockBytes = max(blockBytes, min(memory / 16 / blockCount, Self.bestBlockBytes))
    }
    blocks = BlockPlan(
      capacity: min(max(blockBytes, Self.leastBlockBytes), Self.bestBlockBytes),
      rowLimit: verifier == .batch ? Self.blockRows : 256, inFlight: inFlight)
    arenaBytes = batches / 2 / jobs
    // When the first block comes, the batches of lines have left.
    let reading = max(batches, blockCount * blocks.capacity + jobs * arenaBytes)
    let rest = memory - Self.baseline - Self.tableBytes - reading
    // Attestations take an eighth at most, and nothing of what the rows need.
    let share =
      min(memory / 8, rest - Self.leastRowBytes) / jobs - Self.attestationVerifierBytes
    let isRoomy = verifier == .batch && share >= Self.waitingBytesRange.lowerBound
    waitingBytes = isRoomy ? min(share, Self.waitingBytesRange.upperBound) : 0
    let waiting = isRoomy ? jobs * (waitingBytes + Self.attestationVerifierBytes) : 0
    // What is left after a margin for sorting and merging.
    let rows = max(rest - waiting, Self.leastRowBytes) * 3 / 4
    reducers = min(jobs, max(rows * 45 / 100 / Self.reducerBytes, 1))
    // A hash has a hundred to a few hundred bytes of input: some ten places for each, at four a byte.
    repeatedHashes = min(
      inputBytes.map { $0 / 32 } ?? .max, max(rows * 5 / 100, RepeatedHashes.leastBytes))
    hashShuffle = rows * 20 / 100
    // Most logs fill one of these and leave the others empty.
    let own = isSmall ? rows : rows / 2
    keyShuffle = own * 45 / 100
    challenges = own * 10 / 100
    findings = own * 8 / 100
    keys = own * 3 / 100
    builds = max(own * 2 / 100, 128 << 10)
    rejects = own * 3 / 100
    verdicts = wantsVerdicts ? own * 5 / 100 : 0
    events = wantsEvents ? own * 5 / 100 : 0
    sharedRows = isSmall ? 0 : rows * 37 / 100
  }
}

extension AuditLimits {
  /// The most worker threads that the memory carries.
  package var mostJobs: Int {
    max(1, (max(memory, MemoryPlan.minimum) - MemoryPlan.baseline) / MemoryPlan.workerBytes)
  }
  /// Divides the memory between two runs that have rows at the same time.
  mutating func halve() {
    memory = max(memory / 2, MemoryPlan.minimum)
    jobs = min(jobs, mostJobs)
  }
}
