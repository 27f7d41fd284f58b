import Testing

@testable import AuditLog

/// The lines of a damaged copy, held against those of another file.
@Suite struct `Lines that were read` {
  /// Returns what some lines, with the digests from 1 on, are to a file with other ones.
  private func read(_ others: [UInt64], _ count: UInt64 = 20) -> ReadLines {
    var kept = DamagedLines()
    for digest in 1...count { kept.add(digest, isDoubtful: digest > 10) }
    var lines = ReadLines(kept)
    for digest in others { _ = lines.take(digest) }
    return lines
  }

  private func isCopy(_ others: [UInt64], isHere: Bool = false, isPart: Bool = false) -> Bool {
    read(others).areOfOneInput(isHere: isHere, isPart: isPart)
  }

  @Test func `most lines in their order, and one end, make a copy`() {
    let all = Array(1...20 as ClosedRange<UInt64>)
    #expect(isCopy(all) && isCopy([30] + all.dropFirst()) && isCopy(all.dropLast() + [30]))
    #expect(!isCopy([30, 31] + all.dropFirst().dropLast() + [32]))
    #expect(isCopy([1, 30] + all[1..<10]) && !isCopy([1, 30] + all[1..<9]))
    #expect(!isCopy([]) && !isCopy([0, 0]) && !isCopy([30, 31]))
  }

  @Test func `the same lines in another order make none`() {
    let turned = [1] + (2...20 as ClosedRange<UInt64>).reversed()
    #expect(!isCopy(turned) && !isCopy(turned, isPart: true))
    // One of ten lines found may stand elsewhere.
    #expect(isCopy([1, 3, 2] + Array(4...20)))
    #expect(!isCopy([1, 3, 2, 5, 4, 7, 6] + Array(8...20)))
  }

  @Test func `in one place nine of ten lines do without an end`() {
    let inner = Array(2...19 as ClosedRange<UInt64>)
    #expect(isCopy([30] + inner + [31], isHere: true))
    #expect(isCopy([30, 31] + inner + [32], isHere: true))
    #expect(!isCopy([30, 31] + inner.dropLast() + [32], isHere: true))
    #expect(!isCopy([30, 3, 2] + inner.dropFirst(2) + [31], isHere: true))
  }

  @Test func `a few lines that have the same numbers make a copy in one place alone`() {
    let inner = read([30, 2, 3, 4, 5, 31], 6)
    #expect(inner.areOfOneInput(isHere: true, isPart: false))
    #expect(!inner.areOfOneInput(isHere: false, isPart: false))
  }

  @Test func `a shorter copy is whole where it has other lines for all that it has not`() {
    let all = Array(1...20 as ClosedRange<UInt64>)
    #expect(read(all).haveOthersForAll)
    #expect(read([30] + all[1...4] + [31] + all[8...]).haveOthersForAll)
    // Nothing, or a blank line, stands in the place of what is not there.
    #expect(!read(Array(all[1...])).haveOthersForAll)
    #expect(!read(Array(all[...4]) + Array(all[6...])).haveOthersForAll)
    #expect(!read(all[...4] + [0] + all[6...]).haveOthersForAll)
    #expect(!read(all[...4] + [30] + all[6...8] + all[10...]).haveOthersForAll)
    // More may have come behind its end, and its order may be another one.
    #expect(!read(all.dropLast() + [30]).haveOthersForAll)
    #expect(!read([1, 3, 2] + all[3...]).haveOthersForAll)
    #expect(!read([1, 30, 3, 2, 31] + all[3...]).haveOthersForAll)
    #expect(!read([]).haveOthersForAll)
  }

  @Test func `many lines, or nearly all, tell that no two hosts logged one request`() {
    #expect(read(Array(1...8) + Array(31...60)).areManyOrNearlyAll)
    #expect(!read(Array(1...7) + Array(31...60)).areManyOrNearlyAll)
    #expect(read([1, 2, 3, 30]).areManyOrNearlyAll && !read([1, 2, 30]).areManyOrNearlyAll)
  }

  @Test func `lines that have the same numbers make a copy of which damage garbled the most`() {
    func garbled(_ kept: ClosedRange<UInt64>, _ count: UInt64 = 20) -> [UInt64] {
      (1...count).map { kept.contains($0) ? $0 : $0 + 100 }
    }
    #expect(isCopy(garbled(5...12)) && !isCopy(garbled(5...11)))
    #expect(isCopy(garbled(5...15, 60)) && isCopy(garbled(5...15, 60), isHere: true))
    #expect(isCopy(garbled(5...15), isHere: true) && !isCopy(garbled(6...12), isHere: true))
    #expect(!isCopy([150] + garbled(5...12)) && !isCopy([150] + garbled(5...15), isHere: true))
    #expect(!isCopy(garbled(5...11) + [5]) && !isCopy(garbled(5...8) + garbled(9...12).reversed()))
    // Of forty lines a quarter is ten.
    var kept = DamagedLines()
    for digest in 1...40 as ClosedRange<UInt64> { kept.add(digest, isDoubtful: true) }
    for count in 9...10 as ClosedRange<UInt64> {
      var lines = ReadLines(kept)
      for digest in garbled(21...(20 + count), 40) { _ = lines.take(digest) }
      #expect(lines.areOfOneInput(isHere: false, isPart: false) == (count == 10))
    }
  }

  @Test func `elsewhere a line that stands again and again makes no copy`() {
    // Two logs of a day each, with ten checks of health around four requests.
    var kept = DamagedLines()
    for digest in [7, 7, 7, 7, 7, 1, 2, 3, 4, 7, 7, 7, 7, 7] as [UInt64] {
      kept.add(digest, isDoubtful: true)
    }
    func isCopy(_ requests: [UInt64], isHere: Bool) -> Bool {
      var lines = ReadLines(kept)
      let checks = [UInt64](repeating: 7, count: 5)
      for digest in checks + requests + checks { _ = lines.take(digest) }
      return lines.areOfOneInput(isHere: isHere, isPart: false)
    }
    #expect(!isCopy([11, 12, 13, 14], isHere: false) && isCopy([11, 12, 13, 14], isHere: true))
    #expect(!isCopy([1, 12, 13, 14], isHere: false) && isCopy([1, 2, 13, 14], isHere: false))
  }

  @Test func `of a damaged copy its own lines count`() {
    #expect(isCopy([1, 2, 30], isPart: true) && !isCopy([1, 30, 31], isPart: true))
    #expect(!isCopy([1, 2, 30]))
  }

  @Test func `a line that damage did not touch is missed`() {
    #expect(read(Array(2...20)).missesProven && !read(Array(1...10)).missesProven)
    #expect(read(Array(2...20)).missing == [1] && read(Array(1...18)).missing == [19, 20])
  }
}
