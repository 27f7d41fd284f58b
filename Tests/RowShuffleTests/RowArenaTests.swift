import TestSupport
import Testing

@testable import RowShuffle

@Suite struct `Row arena` {
  private func append(_ row: [UInt8], _ arena: RowArena) -> Bool {
    withRow(row) { unsafe arena.append($0) }
  }

  private func rows(_ arena: RowArena) -> [[UInt8]] {
    (0..<arena.count).map { unsafe Array(arena.row($0)) }
  }

  @Test(arguments: [8, 9, 16, 45])
  func `the whole key sorts, and nothing behind it`(_ keyLength: Int) {
    var random = Generator(UInt64(keyLength))
    let arena = RowArena(capacity: 1 << 18, keyLength: keyLength)
    let keys = Set(
      (0..<600).map { _ in
        [UInt8](repeating: 0xFE, count: keyLength - 2) + random.bytes(2)
      })
    for key in keys { #expect(append(key + random.bytes(random.below(40)), arena)) }
    let before = Set(rows(arena))
    arena.sort()
    #expect(Set(rows(arena)) == before)
    #expect(
      rows(arena).map { Array($0.prefix(keyLength)) }
        == keys.sorted { $0.lexicographicallyPrecedes($1) })
  }

  @Test func `any order of arrival sorts`() {
    let count = 2500
    func key(_ number: Int) -> [UInt8] {
      [UInt8](repeating: 7, count: 8) + [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    }
    var random = Generator(5)
    let ascending = Array(0..<count)
    let orders = [
      ascending, ascending.reversed(), ascending.shuffled(using: &random),
      ascending.map { $0 ^ 1 }, ascending.map { ($0 * 7) % count },
      ascending.map { ($0 + count / 2) % count },
    ]
    for order in orders {
      let arena = RowArena(capacity: 1 << 17, keyLength: 10)
      for number in order { #expect(append(key(number), arena)) }
      arena.sort()
      #expect(rows(arena) == ascending.map(key))
    }
  }

  @Test func `a full arena takes no row and keeps what it has`() {
    for length in [8, 9, 100, 16_384] {
      let arena = RowArena(capacity: 1, keyLength: 8)
      var held: [[UInt8]] = []
      var random = Generator(3)
      while true {
        let row = Array(random.bytes(8) + [UInt8](repeating: 1, count: length - 8))
        guard append(row, arena) else { break }
        held.append(row)
      }
      // The least capacity, less the index of 16 bytes for each row.
      #expect(held.count == (1 << 16) / (length + 16))
      arena.sort()
      #expect(rows(arena) == held.sorted { $0.lexicographicallyPrecedes($1) })
      #expect(arena.runBytes == held.count * (length + RowRun.lengthBytes))
      #expect(!append(random.bytes(length), arena))
      arena.removeAll()
      #expect(arena.count == 0 && arena.runBytes == 0)
      #expect(append(random.bytes(length), arena))
      arena.release()
      #expect(arena.count == 0)
      #expect(append(held[0], arena) && rows(arena) == [held[0]])
    }
  }
}
