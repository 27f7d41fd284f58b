internal import Files
internal import Synchronization

/// The temporary space that shuffles share. Room whose rows have been read is written again: a new
/// page costs the system ten times what one costs that it has at hand.
package final class SpillSpace: Sendable {
  private static let mostFiles = 8

  /// Several, because threads that write to one file wait for each other.
  private let areas: [SpillArea]
  private let turns = Atomic<Int>(0)

  /// Makes a space for so many threads that write at once. The first byte creates a file.
  package init(folder: String, writers: Int = 1) {
    areas = (0..<min(max(writers, 1), Self.mostFiles)).map { _ in SpillArea(folder: folder) }
  }

  /// Returns the area of a writer: they take turns.
  func area() -> SpillArea {
    areas[turns.add(1, ordering: .relaxed).oldValue % areas.count]
  }

  package var writtenBytes: Int { areas.reduce(0) { $0 + $1.writtenBytes } }

  /// Bytes of the room that is or was in use.
  var byteCount: Int { areas.reduce(0) { $0 + $1.byteCount } }

  /// Gives the room that is not in use back to the system. It may be used again.
  package func trim() {
    for area in areas { area.trim() }
  }
}

final class SpillArea: Sendable {
  fileprivate let file: SpillFile
  private let free = Mutex(FreeRanges())
  private let written = Atomic<Int>(0)

  init(folder: String) {
    file = SpillFile(folder: folder)
  }

  var writtenBytes: Int { written.load(ordering: .relaxed) }

  var byteCount: Int { file.size }

  /// Takes room for `count` bytes: such that is free again, and the rest at the end of the file.
  func take(_ count: Int) -> SpillRoom {
    var ranges = free.withLock { $0.take(count) }
    let rest = ranges.reduce(count) { $0 - $1.count }
    if rest > 0 {
      let start = file.reserve(rest)
      ranges.append(start..<(start + rest))
    }
    return SpillRoom(self, ranges)
  }

  /// Takes ranges of the file back, in which nobody reads or writes any more.
  func giveBack(_ ranges: some Collection<Range<Int>>) {
    free.withLock { free in
      for range in ranges { free.insert(range) }
    }
  }

  /// Writes all of `bytes` at `offset` of the file.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(AuditError) {
    unsafe try file.write(bytes, at: offset)
    written.add(bytes.count, ordering: .relaxed)
  }

  func trim() {
    for range in free.withLock({ $0.ranges }) { file.giveBack(range) }
  }
}

/// The room of one run in a ``SpillArea``: ranges of its file, one behind the other.
final class SpillRoom: Sendable {
  private let area: SpillArea
  private let ranges: [Range<Int>]
  /// The offset in the run at which each range begins, and behind them the end.
  private let starts: [Int]
  private let given = Mutex(RangeSet<Int>())

  fileprivate init(_ area: SpillArea, _ ranges: [Range<Int>]) {
    self.area = area
    self.ranges = ranges
    starts = ranges.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
  }

  deinit {
    var rest = RangeSet(0..<byteCount)
    rest.subtract(given.withLock { $0 })
    for range in rest.ranges { area.giveBack(pieces(of: range)) }
  }

  var byteCount: Int { starts.last ?? 0 }

  /// Returns where a range of the run lies in the file.
  private func pieces(of range: Range<Int>) -> [Range<Int>] {
    guard !range.isEmpty else { return [] }
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "beyond a run's room")
    var pieces: [Range<Int>] = []
    // The last range that begins at or in front of it.
    var (index, end) = (0, ranges.count)
    while index + 1 < end {
      let middle = (index + end) / 2
      if starts[middle] <= range.lowerBound { index = middle } else { end = middle }
    }
    while index < ranges.count, starts[index] < range.upperBound {
      let start = max(range.lowerBound, starts[index]) - starts[index]
      let end = min(range.upperBound, starts[index + 1]) - starts[index]
      let base = ranges[index].lowerBound
      pieces.append((base + start)..<(base + end))
      index += 1
    }
    return pieces
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(AuditError) {
    var done = 0
    for piece in pieces(of: offset..<(offset + bytes.count)) {
      unsafe try area.write(
        UnsafeRawBufferPointer(rebasing: bytes[done..<(done + piece.count)]), at: piece.lowerBound)
      done += piece.count
    }
  }

  /// Fills `buffer` with the bytes at an offset of the run, none of which was given back.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(AuditError) {
    let range = offset..<(offset + buffer.count)
    guard given.withLock({ $0.isDisjoint(RangeSet(range)) }) else {
      throw AuditError(.inconsistent, "rows that are read once were to be read again")
    }
    var done = 0
    for piece in pieces(of: range) {
      unsafe try area.file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + piece.count)]),
        at: piece.lowerBound)
      done += piece.count
    }
  }

  /// Gives back a range of the run that nobody reads again. The rest goes with the room.
  func giveBack(_ range: Range<Int>) {
    given.withLock { $0.insert(contentsOf: range) }
    area.giveBack(pieces(of: range))
  }
}

struct FreeRanges {
  /// The shortest range that is worth a write of its own; it may grow until it is.
  static let leastTaken = 1 << 16

  private var free = RangeSet<Int>()

  /// The ranges, in order: none touches another.
  var ranges: [Range<Int>] { Array(free.ranges) }

  mutating func insert(_ range: Range<Int>) { free.insert(contentsOf: range) }

  /// Takes up to `count` bytes, in pieces that are not too short.
  mutating func take(_ count: Int) -> [Range<Int>] {
    var taken: [Range<Int>] = []
    var rest = count
    for range in free.ranges.reversed() where rest > 0 {
      guard range.count >= min(Self.leastTaken, rest) else { continue }
      taken.append(range.lowerBound..<(range.lowerBound + min(range.count, rest)))
      rest -= taken.last?.count ?? 0
    }
    for range in taken { free.remove(contentsOf: range) }
    return taken
  }
}
