internal import Files
internal import Synchronization

/// A shuffle: rows go in from several writers in any order and come out in the order of the bytes
/// of their keys. What does not fit into memory is spilled as sorted runs.
package final class RowSorter: Sendable {
  /// The budgets and the place of a sorter.
  package struct Settings: Sendable {
    /// Bytes of key at the front of every row.
    var keyLength: Int
    /// One writer for each thread that adds rows.
    package var writers: Int
    /// Bytes for rows in memory, and later for merging.
    var memory: Int
    /// The folder for spilled runs.
    var folder: String
    /// True where a full buffer is sorted and spilled aside, so that its writer need not wait.
    var spillsAside = false
    /// Where the rows come from, in order, or nil if they are those that the writers add.
    var inlet: (any RowRunSource & Sendable)?
    /// Where the rows go to, or nil if they are sorted here.
    var outlet: (any RowOutlet)?

    package init(
      keyLength: Int, writers: Int, memory: Int, folder: String, spillsAside: Bool = false,
      inlet: (any RowRunSource & Sendable)? = nil, outlet: (any RowOutlet)? = nil
    ) {
      self.inlet = inlet
      self.outlet = outlet
      self.keyLength = keyLength
      self.writers = writers
      self.memory = memory
      self.folder = folder
      self.spillsAside = spillsAside
    }
  }

  package let settings: Settings
  private let file: SpillFile
  private let writers: [RowWriter]
  /// The runs, once the writing has ended.
  private let ended = Mutex<SortedRows?>(nil)

  package init(_ settings: Settings) {
    self.settings = settings
    let file = SpillFile(folder: settings.folder)
    self.file = file
    writers = (0..<max(settings.writers, 1)).map { _ in RowWriter(settings, file) }
  }

  /// Returns the writer of that index; used by one thread at a time.
  package func writer(_ index: Int) -> RowWriter { writers[index] }

  /// Bytes spilled so far.
  package var spilledBytes: Int { file.size }

  /// The number of rows added; once no writer is in use any more.
  package var rowCount: Int { writers.reduce(0) { $0 + $1.rowCount } }

  /// Ends the writing and gives the rows back in order, each time from the first on.
  package func merge() throws(ShuffleError) -> RowMerger {
    try RowMerger(
      [sorted()], sources: [settings.inlet].compactMap(\.self), keyLength: settings.keyLength,
      memory: settings.memory)
  }

  /// Ends the writing and gives the rows back in order, with those of another sorter whose keys
  /// have the same layout.
  package func merge(with other: RowSorter) throws(ShuffleError) -> RowMerger {
    try RowMerger(
      [sorted(), other.sorted()],
      sources: [settings.inlet, other.settings.inlet].compactMap(\.self),
      keyLength: settings.keyLength, memory: settings.memory + other.settings.memory)
  }

  /// Hands the rows that the writers still hold to the outlet, where there is one.
  package func handOver() throws(ShuffleError) {
    guard settings.outlet != nil else { return }
    for writer in writers { _ = try writer.finish(spillingAll: false) }
  }

  /// Forgets the rows and gives their memory back; what is merged afterwards is empty.
  package func release() {
    for writer in writers { writer.release() }
    ended.withLock { $0 = SortedRows(stores: [], runs: [], file: file) }
  }

  private func sorted() throws(ShuffleError) -> SortedRows {
    if let rows = ended.withLock({ $0 }) { return rows }
    let rows = try end()
    ended.withLock { $0 = rows }
    return rows
  }

  /// Ends the writing; what is in memory is spilled too where anything was.
  private func end() throws(ShuffleError) -> SortedRows {
    var runs: [RowRun] = []
    for writer in writers { runs += try writer.finish(spillingAll: false) }
    guard !runs.isEmpty else {
      for writer in writers { writer.keepRows() }
      return SortedRows(stores: writers.map(\.store), runs: [], file: file)
    }
    for writer in writers {
      runs += try writer.finish(spillingAll: true)
      writer.release()
    }
    let fanIn = min(max(settings.memory / (2 * RowRunMerge.leastBufferBytes), 4), 256)
    while runs.count > fanIn {
      // No more of them than bring the number down: each row that is merged is written once more.
      let first = Array(runs.prefix(min(fanIn, runs.count - fanIn + 1)))
      runs.removeFirst(first.count)
      runs.append(
        try RowRunMerge.merge(
          first, file: file, keyLength: settings.keyLength, memory: settings.memory))
    }
    return SortedRows(stores: [], runs: runs, file: file)
  }
}

/// Sorted runs that are to be merged.
struct SortedRows: Sendable {
  /// Hold runs in memory.
  var stores: [RowStore]
  /// Spilled runs.
  var runs: [RowRun]
  /// Holds the runs.
  var file: SpillFile
}

/// Merges runs into one longer run, where there are too many to be read at once.
enum RowRunMerge {
  /// The smallest buffer that a run is read through.
  static let leastBufferBytes = 2 * RowRun.maximumRowBytes

  static func merge(
    _ runs: [RowRun], file: SpillFile, keyLength: Int, memory: Int
  ) throws(ShuffleError) -> RowRun {
    let total = runs.reduce(0) { $0 + $1.byteCount }
    let run = RowRun(offset: file.reserve(total), byteCount: total)
    let merger = try RowMerger(
      [SortedRows(stores: [], runs: runs, file: file)], keyLength: keyLength, memory: memory)
    var writer = RowRunWriter(file: file, offset: run.offset, bufferBytes: 1 << 18)
    while let row = unsafe try merger.nextRow() { unsafe try writer.append(row) }
    try writer.flush()
    return run
  }
}
