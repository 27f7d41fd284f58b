internal import Dispatch
package import Files
internal import Synchronization

/// The destination of the rows of a shuffle that is carried out elsewhere.
@safe package struct RowOutlet: Sendable {
  package typealias Take =
    @Sendable (_ count: Int, _ row: (Int) -> UnsafeRawBufferPointer) throws(AuditError) -> Void

  /// Takes rows, unsorted and from any thread; what `row` returns is valid during the call.
  let take: Take

  package init(_ take: @escaping Take) { unsafe self.take = take }
}

/// A shuffle: rows go in from several writers in any order and come out in the order of the bytes
/// of their keys. What does not fit into memory is spilled as sorted runs.
package final class RowSorter: Sendable {
  package struct Settings: Sendable {
    /// Bytes of key at the front of every row.
    var keyLength: Int
    /// The number of writers, one for each thread that adds rows.
    package var writers: Int
    /// Bytes for rows in memory.
    var memory: Int
    /// Bytes for merging what was spilled: more than ``memory`` where others have left by then.
    var mergeMemory: Int
    /// Memory that it shares with others, in addition to `memory`.
    var budget: RowBudget?
    /// The number of threads that read ranges of the rows at once.
    var readers = 1
    let space: SpillSpace
    /// Whether a full buffer is sorted and spilled aside, so that its writer need not wait.
    var spillsAside = false
    /// Whether each range is read once: what was spilled of it gives its room back meanwhile.
    var isReadOnce = false
    /// The source of the rows, in order, or nil if they are those that the writers add.
    var inlet: (any RowRunSource & Sendable)?
    /// The destination of the rows, or nil if they are sorted here.
    var outlet: RowOutlet?

    package init(
      keyLength: Int, writers: Int, memory: Int, mergeMemory: Int? = nil, space: SpillSpace,
      spillsAside: Bool = false, isReadOnce: Bool = false, readers: Int = 1,
      inlet: (any RowRunSource & Sendable)? = nil, outlet: RowOutlet? = nil,
      budget: RowBudget? = nil
    ) {
      self.budget = budget
      self.inlet = inlet
      self.outlet = outlet
      self.keyLength = keyLength
      self.writers = writers
      self.memory = memory
      self.mergeMemory = max(mergeMemory ?? 0, memory)
      self.space = space
      self.spillsAside = spillsAside
      self.isReadOnce = isReadOnce
      self.readers = max(readers, 1)
    }

    fileprivate var shareOfReader: Int { mergeMemory / readers }
  }

  package let settings: Settings
  private let writers: [RowWriter]
  /// The runs, once the writing has ended.
  private let ended = Mutex<SortedRows?>(nil)

  package init(_ settings: Settings) {
    self.settings = settings
    writers = (0..<max(settings.writers, 1)).map { _ in RowWriter(settings) }
  }

  /// Returns the writer of that index; used by one thread at a time.
  package func writer(_ index: Int) -> RowWriter { writers[index] }

  /// Bytes spilled so far into the sorter's space, by whoever shares it.
  package var spilledBytes: Int { settings.space.writtenBytes }

  /// The number of rows added; once no writer is in use any more.
  package var rowCount: Int { writers.reduce(0) { $0 + $1.rowCount } }

  /// Ends the writing and returns the ranges that the rows, with those of another sorter, are cut
  /// into: in their order, each with some rows. Those of an inlet are one range.
  package func ranges(with other: RowSorter? = nil) throws(AuditError) -> [RowRange] {
    var sizes = [Int](repeating: 0, count: RowRange.parts)
    var isWhole = false
    for sorter in [self, other].compactMap(\.self) {
      isWhole = isWhole || sorter.settings.inlet != nil
      let rows = try sorter.sorted()
      for part in sizes.indices { sizes[part] += rows.size(of: RowRange(part..<(part + 1))) }
    }
    return isWhole ? [.all] : RowRange.ranges(sizes)
  }

  /// Ends the writing and returns the rows of a range in order, with those of another sorter, whose
  /// keys have the same layout; each time from the first on, unless rows are read once.
  package func merged(
    _ range: RowRange = .all, with other: RowSorter? = nil
  ) throws(AuditError) -> RowMerger {
    let sorters = [self, other].compactMap(\.self)
    var parts: [SortedRows] = []
    for sorter in sorters { parts.append(try sorter.sorted()) }
    return try RowMerger(
      parts, sources: sorters.compactMap(\.settings.inlet), keyLength: settings.keyLength,
      memory: sorters.reduce(0) { $0 + $1.settings.shareOfReader }, range: range)
  }

  /// Hands the rows that the writers still hold to the outlet, where there is one.
  package func handOver() throws(AuditError) {
    guard settings.outlet != nil else { return }
    for writer in writers { _ = try writer.finish(spillingAll: false) }
  }

  /// Forgets the rows and gives their memory back; what is merged afterwards is empty.
  package func release() {
    // The system needs a tenth of a second to take back a gigabyte.
    DispatchQueue.concurrentPerform(iterations: writers.count) { writers[$0].release() }
    ended.withLock { $0 = SortedRows() }
  }

  private func sorted() throws(AuditError) -> SortedRows {
    if let rows = ended.withLock({ $0 }) { return rows }
    let rows = try end()
    ended.withLock { $0 = rows }
    return rows
  }

  /// Ends the writing; what is in memory is spilled too where anything was.
  private func end() throws(AuditError) -> SortedRows {
    var runs: [RowRun] = []
    for writer in writers { runs += try writer.finish(spillingAll: false) }
    guard !runs.isEmpty else {
      for writer in writers { writer.keepRows() }
      return SortedRows(stores: writers.flatMap(\.stores))
    }
    runs += try spillAll()
    let fanIn = min(max(settings.shareOfReader / (2 * RowRunMerge.leastBufferBytes), 4), 1024)
    while runs.count > fanIn {
      // No more of them than bring the number down: each row that is merged is written once more.
      let first = Array(runs.prefix(min(fanIn, runs.count - fanIn + 1)))
      runs.removeFirst(first.count)
      runs.append(
        try RowRunMerge.merge(
          first, into: settings.space, keyLength: settings.keyLength, memory: settings.mergeMemory))
    }
    return SortedRows(runs: runs, isReadOnce: settings.isReadOnce)
  }

  /// Spills what the writers have in memory, each by its thread, and gives that memory back.
  private func spillAll() throws(AuditError) -> [RowRun] {
    let spilled = Mutex<(runs: [RowRun], failure: AuditError?)>(([], nil))
    DispatchQueue.concurrentPerform(iterations: writers.count) { index in
      do throws(AuditError) {
        let runs = try writers[index].finish(spillingAll: true)
        writers[index].release()
        spilled.withLock { $0.runs += runs }
      } catch {
        spilled.withLock { $0.failure = $0.failure ?? error }
      }
    }
    let (runs, failure) = spilled.withLock { $0 }
    if let failure { throw failure }
    return runs
  }
}

struct SortedRows: Sendable {
  var stores: [RowStore] = []
  var runs: [RowRun] = []
  /// Whether nobody reads the runs again.
  var isReadOnce = false

  func size(of range: RowRange) -> Int {
    stores.reduce(0) { $0 + $1.size(of: range) } + runs.reduce(0) { $0 + $1.size(of: range) }
  }
}

/// A merge of runs into one longer run, if there are too many to be read at once.
enum RowRunMerge {
  /// The smallest buffer that a run is read through.
  static let leastBufferBytes = 2 * RowRun.maximumRowBytes

  static func merge(
    _ runs: [RowRun], into space: SpillSpace, keyLength: Int, memory: Int
  ) throws(AuditError) -> RowRun {
    let total = runs.reduce(0) { $0 + $1.byteCount }
    let merger = try RowMerger(
      [SortedRows(runs: runs, isReadOnce: true)], keyLength: keyLength, memory: memory)
    var writer = RowRunWriter(space.area().take(total), bufferBytes: 1 << 18)
    while let row = unsafe try merger.next() { unsafe try writer.append(row) }
    return try writer.finish()
  }
}
