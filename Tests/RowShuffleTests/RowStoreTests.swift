import TestSupport
import Testing

@testable import RowShuffle

@Suite struct `Row store` {
  private func arena(_ rows: [[UInt8]]) -> RowArena {
    let arena = RowArena(capacity: 0, keyLength: 8)
    for row in rows { #expect(withRow(row) { unsafe arena.append($0) }) }
    arena.sort()
    return arena
  }

  /// The rows of a run, by its layout.
  private func rows(_ run: UnsafeRawBufferPointer) -> [[UInt8]] {
    var result: [[UInt8]] = []
    var at = 0
    while at < run.count {
      let length = unsafe Int(run.loadUnaligned(fromByteOffset: at, as: UInt32.self))
      at += RowRun.lengthBytes
      unsafe result.append(Array(run[at..<(at + length)]))
      at += length
    }
    return result
  }

  private func sorted(_ rows: [[UInt8]]) -> [[UInt8]] {
    rows.sorted { $0.lexicographicallyPrecedes($1) }
  }

  @Test func `each buffer becomes a run, sorted, behind those before it`() {
    var random = Generator(31)
    let store = RowStore(capacity: 1 << 18)
    var parts: [[[UInt8]]] = []
    for count in [1, 300, 20] {
      parts.append((0..<count).map { _ in random.bytes(8 + random.below(100)) })
      #expect(store.append(arena(parts[parts.count - 1])))
    }
    #expect(store.append(arena([])), "an empty buffer leaves no run")
    #expect(unsafe store.runs.count == parts.count)
    for index in parts.indices { #expect(unsafe rows(store.runs[index]) == sorted(parts[index])) }
    #expect(store.used == parts.joined().reduce(0) { $0 + $1.count + RowRun.lengthBytes })
  }

  @Test func `a store without room takes nothing and keeps what it has`() {
    var random = Generator(32)
    let part = (0..<50).map { _ in random.bytes(96) }
    let store = RowStore(capacity: 50 * 100 + 99)
    #expect(store.append(arena(part)))
    #expect(!store.append(arena([random.bytes(96)])))
    #expect(unsafe store.runs.count == 1 && rows(store.runs[0]) == sorted(part))
    for empty in [{ store.removeAll() }, { store.release() }] {
      empty()
      #expect(unsafe store.used == 0 && store.runs.isEmpty)
      #expect(store.append(arena(part)))
      #expect(unsafe rows(store.runs[0]) == sorted(part))
    }
  }
}
