import Files
import Synchronization
import TestSupport
import Testing

@testable import RowShuffle

/// Takes rows, and fails once it has `limit` of them.
private final class Basket: Sendable {
  let rows = Mutex<[[UInt8]]>([])
  private let limit: Int

  init(limit: Int = .max) { self.limit = limit }

  func take(
    _ count: Int, _ row: (Int) -> UnsafeRawBufferPointer
  ) throws(AuditError) {
    let all = rows.withLock { rows -> Int in
      for index in 0..<count { unsafe rows.append(Array(row(index))) }
      return rows.count
    }
    if all > limit { throw AuditError(.brokenStream, "the basket is full") }
  }
}

/// Shuffles that are carried out elsewhere: rows go through a sorter, and are not sorted by it.
struct RowOutletTests {
  private func settings(
    _ folder: String, inlet: MemoryRowRun? = nil, outlet: Basket? = nil
  ) -> RowSorter.Settings {
    RowSorter.Settings(
      keyLength: 20, writers: 2, memory: 1 << 20, space: SpillSpace(folder: folder), inlet: inlet,
      outlet: outlet.map { basket in
        unsafe RowOutlet { (count, row) throws(AuditError) in unsafe try basket.take(count, row) }
      })
  }

  private func rows(_ count: Int) -> [[UInt8]] {
    var random = Generator(UInt64(count))
    return (0..<count).map { _ in random.bytes(20 + random.below(300)) }
  }

  @Test(arguments: [0, 1, 10, 20_000])
  func `every row that is added leaves once, and nothing is spilled`(_ count: Int) throws {
    let scratch = try Scratch()
    let basket = Basket()
    let sorter = RowSorter(settings(scratch.path, outlet: basket))
    let input = rows(count)
    for (index, row) in input.enumerated() {
      try withRow(row) { unsafe try sorter.writer(index % 2).append($0) }
    }
    #expect(sorter.rowCount == count)
    try sorter.handOver()
    try sorter.handOver()
    let order: ([UInt8], [UInt8]) -> Bool = { $0.lexicographicallyPrecedes($1) }
    #expect(basket.rows.withLock { $0.sorted(by: order) } == input.sorted(by: order))
    #expect(sorter.rowCount == count)
    #expect(sorter.spilledBytes == 0)
  }

  @Test func `rows of an inlet come out with those of another sorter`() throws {
    let scratch = try Scratch()
    let order: ([UInt8], [UInt8]) -> Bool = { $0.lexicographicallyPrecedes($1) }
    let (fed, added) = (rows(700).sorted(by: order), rows(300))
    let sorter = RowSorter(settings(scratch.path, inlet: MemoryRowRun(fed, piece: 4096)))
    let other = RowSorter(settings(scratch.path))
    for row in added { try withRow(row) { unsafe try other.writer(0).append($0) } }
    let merger = try sorter.merged(with: other)
    var found: [[UInt8]] = []
    while let row = unsafe try merger.next() { unsafe found.append(Array(row)) }
    #expect(found == (fed + added).sorted(by: order))
  }

  @Test func `whoever cannot take rows stops the one that adds them`() throws {
    let scratch = try Scratch()
    let sorter = RowSorter(settings(scratch.path, outlet: Basket(limit: 5)))
    let writer = sorter.writer(0)
    #expect(throws: AuditError(.brokenStream, "the basket is full")) {
      for row in rows(20_000) { try withRow(row) { unsafe try writer.append($0) } }
    }
  }
}
