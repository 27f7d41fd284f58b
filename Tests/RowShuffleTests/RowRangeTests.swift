import Dispatch
import Files
import Synchronization
import TestSupport
import Testing

@testable import RowShuffle

@Suite struct `Row ranges` {
  /// Rows with keys of 20 bytes, all different; `heads` are the first bytes that they may have.
  private func rows(_ count: Int, heads: [UInt8], _ random: inout Generator) -> [[UInt8]] {
    (0..<count).map { index in
      let number = (0..<4).map { UInt8(truncatingIfNeeded: index >> (24 - 8 * $0)) }
      return [heads[random.below(heads.count)]] + random.bytes(15) + number
        + random.bytes(random.below(300))
    }
  }

  private func sorter(
    _ folder: String, memory: Int, isReadOnce: Bool = false, readers: Int = 1
  ) -> RowSorter {
    RowSorter(
      RowSorter.Settings(
        keyLength: 20, writers: 2, memory: memory, space: SpillSpace(folder: folder),
        isReadOnce: isReadOnce,
        readers: readers))
  }

  private func add(_ rows: [[UInt8]], to sorter: RowSorter) throws {
    for (index, row) in rows.enumerated() {
      try withRow(row) { unsafe try sorter.writer(index % 2).append($0) }
    }
  }

  private func drain(_ merger: RowMerger) throws -> [[UInt8]] {
    var result: [[UInt8]] = []
    while let row = unsafe try merger.next() { unsafe result.append(Array(row)) }
    return result
  }

  private func sorted(_ rows: [[UInt8]]) -> [[UInt8]] {
    rows.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// First bytes: all that there are, two at the ends, one, and the first and last of each part.
  private static let heads: [[UInt8]] = [
    Array(0...255), [0, 255], [0x7F], (0..<64).flatMap { [UInt8($0 * 4), UInt8($0 * 4 + 3)] },
  ]

  @Test(arguments: [1, 8 << 20], heads)
  func `the rows of all ranges, one after the other, are all rows in order`(
    _ memory: Int, _ heads: [UInt8]
  ) throws {
    let scratch = try Scratch()
    var random = Generator(UInt64(heads.count))
    for count in [1, 3, 70, 4000] {
      let input = rows(count, heads: heads, &random)
      let sorter = sorter(scratch.path, memory: memory)
      try add(input, to: sorter)
      let ranges = try sorter.ranges()
      #expect(ranges.count == Set(input.map { $0[0] >> 2 }).count)
      let parts = try ranges.map { try drain(sorter.merged($0)) }
      #expect(parts.allSatisfy { !$0.isEmpty })
      #expect(Array(parts.joined()) == sorted(input))
      if memory == 1, count == 4000 { #expect(sorter.spilledBytes > 0) }
      // One merger goes from range to range, in any order, and need not have come to the end of one.
      let merger = try sorter.merged(ranges[0])
      _ = unsafe try merger.next()
      for index in ranges.indices.shuffled(using: &random) {
        try merger.move(to: ranges[index])
        #expect(try drain(merger) == parts[index])
      }
      try merger.move(to: .all)
      #expect(try drain(merger) == sorted(input))
    }
  }

  @Test(arguments: heads)
  func `rows that are read once are there once, range after range`(_ heads: [UInt8]) throws {
    let scratch = try Scratch()
    var random = Generator(11)
    let input = rows(4000, heads: heads, &random)
    let sorter = sorter(scratch.path, memory: 1, isReadOnce: true)
    try add(input, to: sorter)
    let ranges = try sorter.ranges()
    let merger = try sorter.merged(.none)
    var parts = [[[UInt8]]](repeating: [], count: ranges.count)
    for index in ranges.indices.shuffled(using: &random) {
      try merger.move(to: ranges[index])
      parts[index] = try drain(merger)
    }
    #expect(Array(parts.joined()) == sorted(input))
    #expect(sorter.spilledBytes > 0)
    // Their space has been given back.
    #expect(throws: AuditError.self) { try drain(sorter.merged()) }
  }

  @Test(arguments: [(1, 1), (8 << 20, 1), (8 << 20, 8 << 20)])
  func `several threads read ranges of two sorters at once`(_ first: Int, _ second: Int) throws {
    let scratch = try Scratch()
    var random = Generator(3)
    let input = rows(5000, heads: Array(0...255), &random)
    let left = sorter(scratch.path, memory: first, readers: 4)
    let right = sorter(scratch.path, memory: second, readers: 4)
    try add(Array(input[..<3000]), to: left)
    try add(Array(input[3000...]), to: right)
    let ranges = try left.ranges(with: right)
    #expect(ranges.count == 64)
    let parts = Mutex([Int: [[UInt8]]]())
    DispatchQueue.concurrentPerform(iterations: ranges.count) { index in
      #expect(throws: Never.self) {
        let rows = try drain(left.merged(ranges[index], with: right))
        parts.withLock { $0[index] = rows }
      }
    }
    let all = parts.withLock { parts in ranges.indices.flatMap { parts[$0] ?? [] } }
    #expect(all == sorted(input))
  }

  @Test func `no rows are one range`() throws {
    let empty = sorter("/nowhere", memory: 1)
    #expect(try empty.ranges() == [.all])
    #expect(try drain(empty.merged(.all)).isEmpty)
  }
}
