import Testing

@testable import AuditLog

struct `Lines of a damaged content` {
  private func lines(_ doubts: [Bool]) -> DamagedLines {
    var lines = DamagedLines()
    for (index, isDoubtful) in doubts.enumerated() {
      lines.add(UInt64(index) &* 0x9E37_79B9_7F4A_7C15, isDoubtful: isDoubtful)
    }
    return lines
  }

  @Test func `what is kept is read again`() {
    for doubts in [
      [], [true], [false], [true, true, false, true], [false, true, true, false, false, true],
    ] {
      let lines = lines(doubts)
      let read = DamagedLines(kept: lines.kept)
      #expect(read == lines)
      for (index, isDoubtful) in doubts.enumerated() {
        #expect(read.isDoubtful(UInt64(index) + 1) == isDoubtful)
      }
    }
    #expect(lines([true, true, false, true]).doubtful == [1...2, 4...4])
  }

  @Test func `digests alone, as earlier versions kept them, are all doubtful`() {
    let read = DamagedLines(kept: [7, 8, 9])
    #expect(read.digests == [7, 8, 9] && read.doubtful == [1...3])
  }

  @Test func `numbers that make no sense make no line certain`() {
    let kept = lines([false, true, false]).kept
    #expect(kept.count == 7)
    for (place, number) in [(3, UInt64(9)), (5, 3), (5, .max), (5, UInt64.max / 2)] {
      var forged = kept
      forged[place] = number
      let read = DamagedLines(kept: forged)
      #expect(read.digests == forged && read.doubtful == [1...7], "\(place) \(number)")
    }
    // The ends of one range, and then those of the other: 3 to 1, and 3 to 3 before 1 to 1.
    var turned = lines([true, false, true]).kept
    for places in [(3, 5), (4, 6)] {
      turned.swapAt(places.0, places.1)
      #expect(DamagedLines(kept: turned).doubtful == [1...UInt64(turned.count)])
    }
  }
}
