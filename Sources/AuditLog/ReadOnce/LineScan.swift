internal import Compression
internal import Dispatch
internal import Files
internal import Glibc
internal import OpenSSL
internal import Synchronization

/// A scan of files for the digests of their lines: each line is read as the audit reads it.
package struct LineScan: Sendable {
  package var key: LineKey
  /// Threads, at least 1.
  package var jobs: Int
  /// `limits.lineBytes` and `limits.zstdWindowBytes`.
  package var lineLimit: Int
  package var windowLimit: Int
  fileprivate static let batchBytes = 1 << 18
  /// A file changed less than these milliseconds before or after `now` is still written to. Nil: no file.
  package var settle: Int64?
  package var now: Int64 = 0
  /// Whether lines are read for their kinds. If not, every line that is not blank counts as a request.
  var readsKinds = true
  /// The numbers of bytes of last lines without an end of inputs of earlier runs, by the lines' numbers from 1.
  var openLines: [UInt64: Set<UInt64>] = [:]
  /// Whether the bytes of the files are summed, for a later reading to compare.
  var sums = true
  package var reader: @Sendable () -> RecordReader
  /// A closure that is told how many bytes of the files were read, from any thread.
  package var progress: @Sendable (Int) -> Void
  /// A closure that returns whether to stop. The result is void then.
  package var mustStop: @Sendable () -> Bool

  package init(
    key: LineKey, jobs: Int, lineLimit: Int, windowLimit: Int,
    reader: @escaping @Sendable () -> RecordReader, progress: @escaping @Sendable (Int) -> Void,
    mustStop: @escaping @Sendable () -> Bool
  ) {
    self.key = key
    self.jobs = jobs
    self.lineLimit = lineLimit
    self.windowLimit = windowLimit
    self.reader = reader
    self.progress = progress
    self.mustStop = mustStop
  }

  struct File: Sendable {
    var table: LineTable
    /// The part that is read, without the lines that are not read again.
    var part: PlannedPart
    /// The facts by which a later run sees whether the file has changed, or nil if a part of it is left to a later run.
    var stamp: FileStamp?
  }

  enum Outcome: Sendable {
    case file(File)
    /// The file was rewritten while it was scanned.
    case changed
    /// Why the file cannot be read, as one clause of English.
    case unreadable(String)

    var lines: UInt64 { if case .file(let file) = self { UInt64(file.table.count) } else { 0 } }
  }

  /// Scans the regular files among some sources, several at once, and returns the outcomes by their indices.
  ///
  /// - Parameter isLeft: Returns whether the file of an index is not to be opened.
  func scan(
    _ sources: [LogSource], isLeft: @Sendable (Int, FileStamp) throws -> Bool
  ) throws -> [Int: Outcome] {
    let outcomes = Mutex([Int: Outcome]())
    let failure = Mutex<(any Error)?>(nil)
    let next = Atomic<Int>(0)
    let readers = max(1, min(jobs, sources.count))
    let idle = IdleScans((readers..<jobs).map { _ in BatchScan(self) })
    DispatchQueue.concurrentPerform(iterations: readers) { _ in
      let worker = LineScanWorker(self, idle)
      defer { idle.append(worker.own) }
      while !mustStop(), failure.withLock({ $0 == nil }) {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < sources.count else { return }
        guard case .file(let path) = sources[index].origin, let stamp = FileStamp(path: path) else {
          continue
        }
        do {
          if try isLeft(index, stamp) { continue }
          let outcome = worker.scan(path, sources[index])
          outcomes.withLock { $0[index] = outcome }
        } catch {
          failure.withLock { $0 = $0 ?? error }
        }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    return outcomes.withLock { $0 }
  }

  /// Returns whether a file that was changed at a time may still be written to.
  fileprivate func isOpen(_ stamp: FileStamp) -> Bool {
    guard let settle else { return false }
    let age = now.subtractingReportingOverflow(stamp.modifiedMilliseconds)
    return !age.overflow && age.partialValue < settle && age.partialValue > -settle
  }
}

/// The lines of a file, or of a part of it, as they were scanned.
private struct ScannedLines: Sendable {
  var table: LineTable
  /// The lines that are not objects, or do not look like one if lines are not read for their kinds.
  var others = LineRanges()
  /// ``LineDamage/openBytes``.
  var openBytes: UInt64 = 0

  mutating func append(_ next: ScannedLines) {
    others.append(next.others, from: table.count)
    table.append(next.table)
    openBytes = next.openBytes
  }
}

/// The lines of a file of which several threads scan batches: the batches end in any order.
private final class FileLines: @unchecked Sendable {
  // The lines are used on the queue only.
  private let queue = DispatchQueue(label: "lines")
  private var lines: ScannedLines
  private var waiting: [UInt64: ScannedLines] = [:]
  private var next: UInt64 = 0
  let tasks = DispatchGroup()

  init(hasTimes: Bool) { lines = ScannedLines(table: LineTable(hasTimes: hasTimes)) }

  func add(_ part: ScannedLines, at place: UInt64) {
    queue.sync {
      waiting[place] = part
      while let part = waiting.removeValue(forKey: next) {
        lines.append(part)
        next += 1
      }
    }
  }

  /// Returns all lines, once every batch is scanned.
  func all() -> ScannedLines {
    tasks.wait()
    return queue.sync { lines }
  }
}

/// The scans of threads that have no file to read.
private final class IdleScans: @unchecked Sendable {
  // They are used on the queue only.
  private let queue = DispatchQueue(label: "idle scans")
  private var scans: [BatchScan]

  init(_ scans: [BatchScan]) { self.scans = scans }

  func append(_ scan: BatchScan) { queue.sync { scans.append(scan) } }
  func popLast() -> BatchScan? { queue.sync { scans.popLast() } }
}

/// One thread of a ``LineScan`` that reads files.
private final class LineScanWorker {
  private let scan: LineScan
  private let pool: BatchPool
  private let source: SourceReader
  private let idle: IdleScans
  /// The scan of the batches that no other thread takes.
  let own: BatchScan

  init(_ scan: LineScan, _ idle: IdleScans) {
    self.scan = scan
    self.idle = idle
    own = BatchScan(scan)
    pool = BatchPool(batchBytes: LineScan.batchBytes)
    source = SourceReader(
      lineLimit: scan.lineLimit, windowLimit: scan.windowLimit, pool: pool)
  }

  func scan(_ path: String, _ source: LogSource) -> LineScan.Outcome {
    var outcome = scan(path, source, isOpen: false)
    // It has grown meanwhile: it is being written.
    if outcome == nil { outcome = scan(path, source, isOpen: true) }
    return outcome ?? .changed
  }

  /// Returns the outcome, or nil if the file has grown, and its end may be in the middle of a line.
  private func scan(_ path: String, _ log: LogSource, isOpen: Bool) -> LineScan.Outcome? {
    let input: OpenFile
    do throws(ReadFailure) { input = try log.open(path) } catch { return .unreadable(error.text) }
    guard let stamp = input.stamp(path: path) else {
      return .unreadable("it is not a regular file")
    }
    var part = PlannedPart(fileBytes: stamp.size, sums: [])
    part.isOpen = isOpen || scan.isOpen(stamp)
    let lines = FileLines(hasTimes: scan.readsKinds)
    var damages: [SourceDamage] = []
    let output = SourceReader.Output(
      batch: { [own, idle, pool] batch in
        @Sendable func add(_ scan: BatchScan) {
          lines.add(scan.lines(of: batch), at: batch.sequence)
          pool.giveBack(batch)
        }
        guard !own.isInOrder, let other = idle.popLast() else {
          return own.queue.sync { add(own) }
        }
        other.queue.async(group: lines.tasks) {
          add(other)
          idle.append(other)
        }
      },
      damage: { damages.append($0) }, progress: scan.progress, mustStop: scan.mustStop)
    let (summary, raw) = self.source.read(
      input, part, index: 0, isHashed: false, isSummed: scan.sums, to: output)
    let scanned = lines.all()
    var table = scanned.table
    if scan.mustStop() { return .changed }
    let isUnreadable = summary.damage == .unreadable
    if isUnreadable, table.count == 0, let damage = damages.last {
      return .unreadable(damage.reason)
    }
    let (after, placed) = (raw.stamp(path: path), FileStamp(path: path))
    if after != stamp || placed != stamp {
      let isThere = placed?.device == stamp.device && placed?.inode == stamp.inode
      guard isThere, let placed, placed.size > stamp.size, summary.bytes == stamp.size else {
        return .changed
      }
      guard part.isOpen else { return nil }
    }
    part.sums = summary.sums ?? []
    table.damage = LineDamage(
      damages, lines: table.count, openBytes: scanned.openBytes
    ) { [count = table.count] in $0 < count && !scanned.others.contains($0) }
    table.damage.isCompressed = summary.isCompressed
    // What other settings may read is left to a later run.
    let isLeft = part.isOpen || isUnreadable
    return .file(LineScan.File(table: table, part: part, stamp: isLeft ? nil : stamp))
  }
}

/// A scan of one batch of lines after another.
private final class BatchScan: @unchecked Sendable {
  private let scan: LineScan
  // Everything that changes is used on the queue only.
  let queue = DispatchQueue(label: "scan")
  private lazy var reader = scan.reader()
  private var fields = ByteBuffer()
  /// The times of the requests of the line that was read last.
  private var times: [Int64] = []
  /// Whether that line has a reject, and no record.
  private var isUnreadable = false
  /// Whether the batches of a file must be read one after another.
  private(set) lazy var isInOrder = scan.readsKinds && reader.hasAmbiguousTimes

  init(_ scan: LineScan) { self.scan = scan }

  func lines(of batch: LineBatch) -> ScannedLines {
    var lines = ScannedLines(table: LineTable(hasTimes: scan.readsKinds))
    if scan.readsKinds, batch.sequence == 0 { reader.previousTime = nil }
    batch.forEachLine(limit: scan.lineLimit) { line in
      var (kind, isObject, isUnreadable) = (LineKind.other, false, true)
      let digest: UInt64
      let text = unsafe UnsafeRawBufferPointer(line.text)
      switch line.state {
      case .blank, .passed: (digest, kind, isUnreadable) = unsafe (self.digest(text), .blank, false)
      case .cut:
        digest = unsafe scan.key.ofCutLines.digest(text)
      case .overlong:
        let hash = unsafe line.wholeSHA256 ?? sha256(line.text)
        digest = unsafe hash.withUnsafeBytes { unsafe scan.key.digest($0) }
      case .whole:
        digest = unsafe self.digest(text)
        kind = unsafe self.kind(line.text)
        isUnreadable = self.isUnreadable
        isObject =
          unsafe scan.readsKinds
          ? kind.rawValue >= LineKind.object.rawValue
          : line.text.first == 0x7B && line.text.last == 0x7D
        for bytes in scan.openLines[line.number] ?? [] where bytes <= text.count {
          let front = unsafe self.digest(UnsafeRawBufferPointer(rebasing: text[..<Int(bytes)]))
          lines.table.beginnings.insert(
            LineBeginning(
              line: Int(line.number) - 1, bytes: bytes, content: LineDigest(front, .other).content))
        }
      }
      if batch.hasOpenEnd { lines.openBytes = UInt64(text.count) }
      if !isObject { lines.others.append(lines.table.count..<(lines.table.count + 1)) }
      lines.table.append(
        LineDigest(digest, kind), times: line.state == .whole ? times : [],
        isUnreadable: isUnreadable)
    }
    return lines
  }

  private func sha256(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var hash = SHA256Stream()
    unsafe hash.update(UnsafeRawBufferPointer(text))
    return hash.digest()
  }

  /// Returns the digest of a line. A byte order mark before it does not count: inputs that begin with one are joined.
  private func digest(_ text: UnsafeRawBufferPointer) -> UInt64 {
    let mark = unsafe text.starts(with: LineBatch.byteOrderMark) ? LineBatch.byteOrderMark.count : 0
    return unsafe scan.key.digest(UnsafeRawBufferPointer(rebasing: text[mark...]))
  }

  /// Returns the kind of a line. ``times`` and ``isUnreadable`` tell more of it then.
  private func kind(_ line: UnsafeBufferPointer<UInt8>) -> LineKind {
    guard scan.readsKinds else { return .request }
    times.removeAll(keepingCapacity: true)
    isUnreadable = false
    var kind: LineKind?
    var hasRecord = false
    var next: RecordOutcome? = unsafe reader.read(line, into: &fields)
    while let outcome = next {
      kind = outcome.kind(after: kind)
      if let time = outcome.requestTime { times.append(time) }
      switch outcome {
      case .reject: isUnreadable = true
      case .record, .deviceCheckToken: hasRecord = true
      case .skipped: break
      }
      next = reader.next(into: &fields)
    }
    isUnreadable = isUnreadable && !hasRecord
    return kind ?? .object
  }
}

extension LineBatch {
  /// Whether it ends in the middle of a line that nothing cut.
  fileprivate var hasOpenEnd: Bool {
    guard count > 0, !isCut, !isOverlong else { return false }
    return unsafe bytes[count - 1] != 0x0A
  }
}

extension LineDamage {
  /// Makes the damage of an input with so many lines. `isObject` says whether a line is a whole object.
  init(
    _ damages: [SourceDamage], lines count: Int, openBytes: UInt64, isObject: (Int) -> Bool
  ) {
    self.openBytes = openBytes
    var (doubtful, cut): ([Range<Int>], [Range<Int>]) = ([], [])
    func add(_ line: Int, to ranges: inout [Range<Int>]) {
      if line >= 0, line < count { ranges.append(line..<(line + 1)) }
    }
    for damage in damages {
      let next = Int(clamping: damage.doubtful.upperBound) - 1
      let from = Int(clamping: damage.doubtful.lowerBound) - 1
      let lines = min(from, count)..<min(max(from, next), count)
      doubtful.append(lines)
      if damage.cutsLine { add(next - 1, to: &cut) }
      if damage.losesBytes { lost.append(min(next, count)) }
      if damage.losesBytes || damage.cutsLine, !isObject(next) {
        // What follows is the rest of a line, as far as anybody can tell.
        add(next, to: &doubtful)
        add(next, to: &cut)
      }
      places.append(
        Place(
          kind: damage.kind, byteOffset: damage.byteOffset, lines: lines, line: min(next, count)))
    }
    if openBytes > 0 { add(count - 1, to: &doubtful) }
    self.doubtful = LineRanges(doubtful)
    self.cut = LineRanges(cut)
    lost.sort()
  }
}
