import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import RowShuffle

@Suite struct `Spill space` {
  // MARK: Free ranges

  @Test func `what is taken is free no more, and short pieces wait`() {
    let least = FreeRanges.leastTaken
    var free = FreeRanges()
    free.insert(0..<(least - 1))
    free.insert((2 * least)..<(3 * least))
    free.insert((4 * least)..<(6 * least))
    #expect(free.take(4 * least) == [(4 * least)..<(6 * least), (2 * least)..<(3 * least)])
    #expect(free.ranges == [0..<(least - 1)], "it is not worth a write of its own")
    #expect(free.take(10) == [0..<10], "but for few bytes it is")
    #expect(free.ranges == [10..<(least - 1)])
    #expect(free.take(0).isEmpty)
  }

  @Test(arguments: 0..<20)
  func `no byte is taken twice, and none is lost`(_ seed: UInt64) {
    var random = Generator(seed)
    var free = FreeRanges()
    var taken: [Range<Int>] = []
    var end = 0
    for _ in 0..<400 {
      if random.below(2) == 0, !taken.isEmpty {
        let range = taken.remove(at: random.below(taken.count))
        let cut = range.lowerBound + random.below(range.count + 1)
        free.insert(cut..<range.upperBound)
        free.insert(range.lowerBound..<cut)
      } else {
        let count = 1 + random.below(5 * FreeRanges.leastTaken)
        let pieces = free.take(count)
        let rest = count - pieces.reduce(0) { $0 + $1.count }
        taken += pieces
        if rest > 0 { taken.append(end..<(end + rest)) }
        end += rest
      }
      let all = (taken + free.ranges).sorted { $0.lowerBound < $1.lowerBound }
      #expect(all.first?.lowerBound ?? 0 == 0 && all.last?.upperBound ?? 0 == end)
      #expect(zip(all, all.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
      #expect(
        zip(free.ranges, free.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
    }
  }

  // MARK: Rooms

  @Test func `a room in many pieces reads as it was written`() throws {
    let scratch = try Scratch()
    var random = Generator(3)
    let area = SpillArea(folder: scratch.path)
    let least = FreeRanges.leastTaken
    var rooms: [SpillRoom]? = (0..<20).map { _ in area.take(least + 7) }
    let kept = rooms?.enumerated().filter { $0.offset % 2 == 0 }.map(\.element) ?? []
    rooms = nil
    #expect(area.byteCount == 20 * (least + 7) && kept.count == 10)
    let room = area.take(12 * least)
    #expect(area.byteCount < 23 * (least + 7), "ten rooms are used again")
    let bytes = random.bytes(room.byteCount)
    for start in stride(from: 0, to: bytes.count, by: 50_000) {
      let piece = Array(bytes[start..<min(start + 50_000, bytes.count)])
      try withRow(piece) { unsafe try room.write($0, at: start) }
    }
    for _ in 0..<100 {
      let start = random.below(bytes.count)
      var read = [UInt8](repeating: 0, count: random.below(bytes.count - start + 1))
      try unsafe read.withUnsafeMutableBytes { unsafe try room.read(into: $0, at: start) }
      #expect(read == Array(bytes[start..<(start + read.count)]))
    }
    #expect(area.writtenBytes == bytes.count)
    #expect(try scratch.names.isEmpty)
  }

  // MARK: Sorters

  private func fill(_ sorter: RowSorter, _ count: Int, _ random: inout Generator) throws
    -> [[UInt8]]
  {
    let rows = (0..<count).map { index in
      random.bytes(16) + (0..<4).map { UInt8(truncatingIfNeeded: index >> (24 - 8 * $0)) }
        + random.bytes(random.below(200))
    }
    for row in rows { try withRow(row) { unsafe try sorter.writer(0).append($0) } }
    return rows.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func make(_ space: SpillSpace, isReadOnce: Bool = true) -> RowSorter {
    RowSorter(
      RowSorter.Settings(
        keyLength: 20, writers: 1, memory: 1, space: space, isReadOnce: isReadOnce))
  }

  @Test func `sorters that are read one into the other need the room of few`() throws {
    let scratch = try Scratch()
    var random = Generator(4)
    let space = SpillSpace(folder: scratch.path)
    var sorter = make(space)
    let rows = try fill(sorter, 20_000, &random)
    for _ in 0..<6 {
      let next = make(space)
      let merger = try sorter.merged()
      while let row = unsafe try merger.next() { unsafe try next.writer(0).append(row) }
      sorter = next
    }
    let merger = try sorter.merged()
    var result: [[UInt8]] = []
    while let row = unsafe try merger.next() { unsafe result.append(Array(row)) }
    #expect(result == rows)
    let bytes = rows.reduce(0) { $0 + $1.count }
    #expect(space.writtenBytes > 7 * bytes)
    #expect(space.byteCount < 5 * bytes)
  }
}
