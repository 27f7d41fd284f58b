import AppAttest
import Files
import RowShuffle
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Rows of a run between those that were kept` {
  private let scratch = made { try Scratch() }
  private let texts = TextStore()

  private func row(
    _ key: UInt8, _ time: Int64, _ line: UInt64, _ flags: EventRow.Flags = [],
    _ section: EventRow.Section = .event
  ) throws -> [UInt8] {
    let row = RowBuilder(texts: texts)
    try SampleEvent(
      keyID: digest(key), section: section, time: time, position: Position(source: 0, line: line),
      flags: flags
    ).write(row)
    return row.bytes
  }

  /// The lines in the order in which they are given, kept ones negative.
  private func lines(
    _ live: [[UInt8]], kept: [[[UInt8]]], wanted: [UInt8] = []
  ) throws -> [Int] {
    let sorter = RowSorter(
      RowSorter.Settings(
        keyLength: EventRow.keyLength, writers: 1, memory: 1 << 20,
        space: SpillSpace(folder: scratch.path)))
    for row in live { try withRow(row) { unsafe try sorter.writer(0).append($0) } }
    var rows = try MergedKeyRows(
      try RangedRows(RowRanges(sorter)), kept: kept.map { MemoryRowRun($0, piece: 300) },
      wanted: wanted.map { digest($0) })
    var lines: [Int] = []
    while let bytes = unsafe try rows.next() {
      let line = Int(unsafe EventRow(bytes).position.line)
      lines.append(rows.isKept ? -line : line)
    }
    return lines
  }

  @Test func `rows of keys that the run does not have are passed by`() throws {
    let live = try [row(3, 10, 1), row(5, 10, 2), row(5, 0, 3, [], .registry)]
    let kept = try (1...9).map { try [row(UInt8($0), 5, UInt64(10 + $0), .waiting)] }
    #expect(try lines(live, kept: kept) == [-13, 1, 3, -15, 2])
    #expect(try lines([], kept: kept) == [])
    #expect(try lines(live, kept: kept, wanted: [1, 4, 9]) == [-11, -13, 1, -14, 3, -15, 2, -19])
  }

  @Test(arguments: 0..<10)
  func `random runs are given as one order of everything`(_ seed: UInt64) throws {
    var random = Generator(seed)
    func rows(_ count: Int, from line: Int) throws -> [[UInt8]] {
      try (0..<count).map {
        try row(UInt8(random.below(9)), Int64(random.below(20)), UInt64(line + $0))
      }.sorted { $0.lexicographicallyPrecedes($1) }
    }
    let live = try rows(12, from: 1)
    let kept = try [rows(30, from: 100), rows(1, from: 200), rows(40, from: 300)]
    let keys = Set(live.map { $0[0] })
    let expected = (live + kept.flatMap { $0 }.filter { keys.contains($0[0]) })
      .sorted { $0.lexicographicallyPrecedes($1) }.map { bytes in
        withRow(bytes) { row in
          let line = Int(unsafe EventRow(row).position.line)
          return line >= 100 ? -line : line
        }
      }
    #expect(try lines(live, kept: kept) == expected)
  }

  // MARK: Damage

  private func fails(_ kept: [any RowRunSource], live: [[UInt8]]) -> Bool {
    let error = #expect(throws: AuditError.self) {
      let sorter = RowSorter(
        RowSorter.Settings(
          keyLength: EventRow.keyLength, writers: 1, memory: 1 << 20,
          space: SpillSpace(folder: scratch.path)))
      for row in live { try withRow(row) { unsafe try sorter.writer(0).append($0) } }
      var rows = try MergedKeyRows(try RangedRows(RowRanges(sorter)), kept: kept)
      while unsafe try rows.next() != nil {}
    }
    return error?.code == .inconsistent
  }

  @Test func `rows out of order, too short, too long or cut are an error`() throws {
    let live = try [row(200, 0, 1)]
    let (first, second) = try (row(3, 0, 1), row(4, 0, 2))
    #expect(fails([MemoryRowRun([second, first])], live: live))
    for count in [0, 1, 7, 8, EventRow.keyLength - 1, EventRow.keyLength, EventRow.fixedLength - 1]
    {
      #expect(fails([MemoryRowRun([Array(first[..<count]), second])], live: live))
    }
    let long = first + [UInt8](repeating: 0, count: RowRun.maximumRowBytes)
    #expect(fails([MemoryRowRun([long])], live: live))
    #expect(fails([MemoryRowRun(raw: [1])], live: live))
    #expect(fails([MemoryRowRun(raw: [0xFF, 0xFF, 0xFF, 0xFF] + first)], live: live))
    let whole = unsafe withUnsafeBytes(of: UInt32(first.count)) { unsafe Array($0) } + first
    #expect(fails([MemoryRowRun(raw: whole.dropLast())], live: live))
    #expect(try lines(live, kept: [[first, second]]) == [1])
  }
}
