import Dispatch
import Files
import Foundation
import TestSupport
import Testing

@testable import RowShuffle

/// Rows whose keys, of 20 bytes, are all different, many of them only in the last byte.
private func rows(_ count: Int, longest: Int, _ random: inout Generator) -> [[UInt8]] {
  (0..<count).map { index in
    let shared = [0, 4, 8, 12, 16][random.below(5)]
    var key = [UInt8](repeating: UInt8(random.below(2)) * 0xFF, count: shared)
    key += random.bytes(16 - shared)
    key += (0..<4).map { UInt8(truncatingIfNeeded: index >> (24 - 8 * $0)) }
    return key + random.bytes(random.below(max(longest - 20, 1)))
  }
}

private func settings(
  _ folder: String, memory: Int, writers: Int = 1, spillsAside: Bool = false
) -> RowSorter.Settings {
  RowSorter.Settings(
    keyLength: 20, writers: writers, memory: memory, space: SpillSpace(folder: folder),
    spillsAside: spillsAside)
}

private func append(_ row: [UInt8], to writer: RowWriter) throws {
  try withRow(row) { unsafe try writer.append($0) }
}

private func drain(_ merger: RowMerger) throws -> [[UInt8]] {
  var result: [[UInt8]] = []
  while let row = unsafe try merger.next() { unsafe result.append(Array(row)) }
  for _ in 0..<2 { #expect(unsafe try merger.next() == nil, "the end is not the end") }
  return result
}

private func sorted(_ rows: [[UInt8]]) -> [[UInt8]] {
  rows.sorted { $0.lexicographicallyPrecedes($1) }
}

@Suite struct `Row sorter` {
  @Test(arguments: [1, 3], [1, 4 << 20])
  func `rows come out as a plain sort has them`(_ writers: Int, _ memory: Int) throws {
    let scratch = try Scratch()
    var random = Generator(UInt64(writers))
    for (count, longest) in [(0, 20), (1, 20), (2, 300), (500, 21), (3000, 100), (800, 4000)] {
      for spillsAside in [false, true] {
        let input = rows(count, longest: longest, &random)
        let sorter = RowSorter(
          settings(scratch.path, memory: memory, writers: writers, spillsAside: spillsAside))
        for row in input { try append(row, to: sorter.writer(random.below(writers))) }
        #expect(sorter.rowCount == count)
        let merger = try sorter.merged()
        #expect(try drain(merger) == sorted(input))
        let isLarge = count * longest > 4 * 65_536 * writers
        if memory > 1 << 20 { #expect(sorter.spilledBytes == 0 || isLarge) }
        if memory == 1, isLarge { #expect(sorter.spilledBytes > 0) }
      }
    }
    #expect(try scratch.names.isEmpty, "nothing is left behind, not even for a while")
  }

  @Test func `many more runs than are read at once are merged in several steps`() throws {
    let scratch = try Scratch()
    var random = Generator(9)
    for count in [300, 1500, 4000] {
      let input = rows(count, longest: 2000, &random)
      let sorter = RowSorter(settings(scratch.path, memory: 1))
      for row in input { try append(row, to: sorter.writer(0)) }
      let written = input.reduce(0) { $0 + $1.count + RowRun.lengthBytes }
      #expect(try drain(sorter.merged()) == sorted(input))
      if count > 1000 {
        // Four runs of 64 KiB are merged at a time: some rows are written again and again.
        #expect(sorter.spilledBytes > written * 2)
      }
    }
  }

  @Test func `a writer holds few spilled runs, with all rows`() throws {
    let scratch = try Scratch()
    var random = Generator(12)
    let input = rows(20_000, longest: 2000, &random)
    let sorter = RowSorter(settings(scratch.path, memory: 1))
    for row in input { try append(row, to: sorter.writer(0)) }
    let runs = try sorter.writer(0).finish(spillingAll: true)
    #expect((200...257).contains(runs.count))
    let merger = try RowMerger([SortedRows(runs: runs)], keyLength: 20, memory: 0)
    #expect(try drain(merger) == sorted(input))
  }

  @Test func `the longest rows pass, one by one through the smallest buffers`() throws {
    let scratch = try Scratch()
    var random = Generator(10)
    let input = rows(60, longest: 21, &random).map {
      $0 + random.bytes(RowRun.maximumRowBytes - $0.count - random.below(2))
    }
    let sorter = RowSorter(settings(scratch.path, memory: 1, spillsAside: true))
    for row in input { try append(row, to: sorter.writer(0)) }
    #expect(try drain(sorter.merged()) == sorted(input))
  }

  @Test(arguments: [1, 40, 997])
  func `rows that arrive nearly in order, in stretches, are one sequence`(_ stretch: Int) throws {
    let scratch = try Scratch()
    var random = Generator(UInt64(stretch))
    let input = sorted(rows(5000, longest: 400, &random))
    for late in [0, 20] {
      // Some rows come long after those behind them, as they do from a server that was cut off.
      func isLate(_ index: Int) -> Bool { late > 0 && index % late == 3 }
      let order = input.indices.filter { !isLate($0) } + input.indices.filter(isLate)
      let sorter = RowSorter(settings(scratch.path, memory: 1, writers: 3))
      for (place, index) in order.enumerated() {
        try append(input[index], to: sorter.writer(place / stretch % 3))
      }
      #expect(try drain(sorter.merged()) == input)
      #expect(sorter.spilledBytes > 0)
    }
  }

  @Test(arguments: [false, true])
  func `several threads write at once`(_ spillsAside: Bool) throws {
    let scratch = try Scratch()
    var random = Generator(13)
    let writers = 4
    let input = (0..<writers).map { _ in rows(1500, longest: 300, &random) }
    // The rows of two writers may have equal keys: the writer tells them apart.
    let marked = input.enumerated().map { writer, rows in
      rows.map { [UInt8(writer)] + $0.dropFirst() }
    }
    let sorter = RowSorter(
      settings(scratch.path, memory: 1, writers: writers, spillsAside: spillsAside))
    DispatchQueue.concurrentPerform(iterations: writers) { writer in
      for row in marked[writer] {
        #expect(throws: Never.self) { try append(row, to: sorter.writer(writer)) }
      }
    }
    #expect(try drain(sorter.merged()) == sorted(marked.flatMap(\.self)))
  }

  // MARK: A folder that cannot be used

  @Test(arguments: [false, true])
  func `a folder that is not there is a failure of temporary storage`(_ spillsAside: Bool) throws {
    let scratch = try Scratch()
    let file = scratch.path + "/file"
    try Data().write(to: URL(fileURLWithPath: file))
    for (folder, code) in [(scratch.path + "/missing", ENOENT), (file, ENOTDIR)] {
      let sorter = RowSorter(settings(folder, memory: 1, spillsAside: spillsAside))
      let row = [UInt8](repeating: 1, count: 1000)
      let error = #expect(throws: AuditError.self) {
        for _ in 0..<1000 { try append(row, to: sorter.writer(0)) }
        _ = try sorter.merged()
      }
      #expect(error?.code == .temporaryStorage(code))
      #expect(error?.context.contains(folder) == true)
    }
  }

  @Test func `sorters take memory that they share before they spill, and give it back`() throws {
    let scratch = try Scratch()
    var random = Generator(9)
    let input = rows(4000, longest: 2000, &random)
    let budget = RowBudget(bytes: 8 << 20)
    /// Returns the bytes that a new sorter spills of the rows.
    func spilledBytes(_ release: Bool) throws -> Int {
      var settings = settings(scratch.path, memory: 1, writers: 2)
      settings.budget = budget
      let sorter = RowSorter(settings)
      for row in input { try append(row, to: sorter.writer(random.below(2))) }
      #expect(try drain(sorter.merged()) == sorted(input))
      defer { if release { sorter.release() } }
      return sorter.spilledBytes
    }
    #expect(try spilledBytes(true) == 0)
    #expect(try spilledBytes(false) == 0)
    #expect(try spilledBytes(true) > 0, "the sorter before it has the memory")
  }
}
