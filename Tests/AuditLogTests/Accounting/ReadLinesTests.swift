import Testing

@testable import AuditLog

/// The lines of a damaged copy, held against those of another file.
@Suite struct `Lines that were read` {
  /// Returns the digest of a request, by its number; 0 for a blank line.
  private func request(_ number: UInt64) -> UInt64 { number == 0 ? 0 : line(number, .request) }

  private func line(_ number: UInt64, _ kind: LineKind) -> UInt64 { number << 2 | kind.rawValue }

  /// Returns what some lines, with the numbers from 1 on, are to a file with other ones.
  private func read(_ others: [UInt64], _ count: UInt64 = 20) -> ReadLines {
    var kept = DamagedLines()
    for digest in 1...count { kept.add(request(digest), isDoubtful: digest > 10) }
    var lines = ReadLines(kept)
    for digest in others { _ = lines.take(request(digest)) }
    return lines
  }

  private func isCopy(_ others: [UInt64], isHere: Bool = false, isPart: Bool = false) -> Bool {
    read(others).areOfOneInput(isHere: isHere, isPart: isPart)
  }

  @Test func `most lines in their order, and one end, make a copy`() {
    let all = Array(1...20 as ClosedRange<UInt64>)
    #expect(isCopy(all) && isCopy([30] + all.dropFirst()) && isCopy(all.dropLast() + [30]))
    #expect(!isCopy([30, 31] + all.dropFirst().dropLast() + [32]))
    #expect(!isCopy([1] + Array(31...49)) && !isCopy([1] + Array(31...49), isHere: true))
    #expect(isCopy([1, 30] + all[1..<10]) && !isCopy([1, 30] + all[1..<9]))
    #expect(!isCopy([]) && !isCopy([0, 0]) && !isCopy([30, 31]))
  }

  @Test func `the same lines in another order make none`() {
    let turned = [1] + (2...20 as ClosedRange<UInt64>).reversed()
    #expect(!isCopy(turned) && !isCopy(turned, isPart: true) && !isCopy(turned, isHere: true))
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
    #expect(!read([30, 2, 3, 31], 3).areOfOneInput(isHere: true, isPart: false), "two are too few")
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
    for digest in 1...40 as ClosedRange<UInt64> { kept.add(request(digest), isDoubtful: true) }
    for count in 9...10 as ClosedRange<UInt64> {
      var lines = ReadLines(kept)
      for digest in garbled(21...(20 + count), 40) { _ = lines.take(request(digest)) }
      #expect(lines.areOfOneInput(isHere: false, isPart: false) == (count == 10))
    }
  }

  @Test func `elsewhere a line that stands again and again makes no copy`() {
    // Two logs of a day each, with ten checks of health around four requests.
    var kept = DamagedLines()
    for digest in [7, 7, 7, 7, 7, 1, 2, 3, 4, 7, 7, 7, 7, 7] as [UInt64] {
      kept.add(request(digest), isDoubtful: true)
    }
    func isCopy(_ requests: [UInt64], isHere: Bool) -> Bool {
      var lines = ReadLines(kept)
      let checks = [UInt64](repeating: 7, count: 5)
      for digest in checks + requests + checks { _ = lines.take(request(digest)) }
      return lines.areOfOneInput(isHere: isHere, isPart: false)
    }
    #expect(!isCopy([11, 12, 13, 14], isHere: false) && isCopy([11, 12, 13, 14], isHere: true))
    #expect(!isCopy([1, 12, 13, 14], isHere: false) && isCopy([1, 2, 13, 14], isHere: false))
  }

  @Test func `a hundred thousand equal lines are found one after the other, each once`() {
    let count = 100_000
    var kept = DamagedLines()
    for _ in 0..<count { kept.add(request(1), isDoubtful: true) }
    var lines = ReadLines(kept)
    for number in 1...count { #expect(lines.take(request(1)) == UInt64(number)) }
    #expect(lines.take(request(1)) == nil && lines.found == count)
  }

  @Test func `of a damaged copy its own lines count`() {
    #expect(isCopy([1, 2, 30], isPart: true) && !isCopy([1, 30, 31], isPart: true))
    #expect(!isCopy([1, 2, 30]))
  }

  @Test func `a line that damage did not touch is missed`() {
    #expect(read(Array(2...20)).missesProven && !read(Array(1...10)).missesProven)
    #expect(read(Array(2...20)).missing == [1] && read(Array(1...18)).missing == [19, 20])
  }

  // MARK: Lines of other kinds

  /// Returns the lines of a copy that was damaged, compared with others; `mark` stands behind them where an
  /// earlier version kept them.
  private func compare(
    _ first: [UInt64], with others: [UInt64], mark: UInt64? = nil
  ) -> ReadLines {
    var kept = DamagedLines()
    for digest in first { kept.add(digest, isDoubtful: true) }
    if let mark {
      var numbers = kept.kept
      numbers[numbers.count - 1] = mark
      kept = DamagedLines(kept: numbers)
    }
    var lines = ReadLines(kept)
    for digest in others { _ = lines.take(digest) }
    return lines
  }

  /// Lines that are skipped, and stand in the logs of all hosts.
  private var banner: [UInt64] { (1...20).map { line($0, .skipped) } }

  @Test func `lines that are skipped make no copy of a log with requests`() {
    func log(_ host: UInt64, _ count: UInt64 = 12) -> [UInt64] {
      banner + (1...count).map { request(host * 1000 + $0) }
    }
    let lines = compare(log(1), with: log(2))
    #expect(!lines.areOfOneInput(isHere: false, isPart: false))
    #expect(!lines.areOfOneInput(isHere: false, isPart: true))
    #expect(!lines.areOfOneInput(isHere: true, isPart: false), "a path has another log each night")
    #expect(compare(banner, with: banner + log(2)).areOfOneInput(isHere: true, isPart: false))
    #expect(!compare(log(1, 1), with: log(2)).areOfOneInput(isHere: false, isPart: false))
    let one = line(1, .skipped)
    let other = compare([one, request(7)], with: [one, line(2, .skipped)])
    #expect(!other.areOfOneInput(isHere: false, isPart: false))
    // Half of its requests, and the last of them, make it one.
    let half = banner + (1...5).map { line($0 + 100, .skipped) } + log(1).suffix(7)
    #expect(compare(log(1), with: half).areOfOneInput(isHere: false, isPart: false))
    // Where no line is read, all count.
    #expect(compare(banner, with: banner).areOfOneInput(isHere: false, isPart: false))
  }

  @Test func `one request makes no copy of a log with many that are none, nor the other way round`()
  {
    let others = (1...40).map { line($0 + 100, .other) }
    for isHere in [true, false] {
      let request = compare([request(1)] + others, with: [request(1), request(2)])
      #expect(!request.areOfOneInput(isHere: isHere, isPart: false))
      let few = compare(others + [self.request(1)], with: others + [self.request(2)])
      #expect(!few.areOfOneInput(isHere: isHere, isPart: false))
    }
    // A banner in common makes up for none of them.
    let strange = (1...40).map { line($0 + 300, .other) }
    let alike = compare(banner + [request(900)] + others, with: banner + [request(900)] + strange)
    #expect(!alike.areOfOneInput(isHere: false, isPart: false))
    let whole = compare([request(1)] + others, with: [request(1)] + others)
    #expect(whole.areOfOneInput(isHere: false, isPart: false))
  }

  @Test(arguments: [true, false], [LineKind.skipped, .other])
  func `lines of all logs around each request make no copy of another host's`(
    _ isHere: Bool, _ kind: LineKind
  ) {
    /// Returns a log with some lines that are always the same in front of each request of a host.
    func log(_ host: UInt64, _ count: UInt64) -> [UInt64] {
      (1...20 * (count + 1)).map {
        $0.isMultiple(of: count + 1) ? request(host * 1000 + $0) : line($0, kind)
      }
    }
    for count in 1...30 as ClosedRange<UInt64> {
      let last = [line(900, kind)]
      let lines = compare(log(1, count) + last, with: log(2, count) + last)
      #expect(!lines.areOfOneInput(isHere: isHere, isPart: false), "\(count)")
    }
  }

  @Test func `eight requests in their places are more than any lines that are skipped`() {
    func log(_ host: UInt64, same: UInt64) -> [UInt64] {
      (1...30 as ClosedRange<UInt64>).map { number in
        if number <= 15 { return line(number, .skipped) }
        return request(number <= 15 + same ? number : host * 1000 + number)
      }
    }
    let (many, few) = (log(2, same: 8) + banner, log(2, same: 7) + banner)
    #expect(compare(log(1, same: 8), with: many).areOfOneInput(isHere: false, isPart: false))
    #expect(!compare(log(1, same: 7), with: few).areOfOneInput(isHere: false, isPart: false))
  }

  @Test(arguments: [nil, 0x6464_6D61_6765_6401, 0x6464_6D61_6765_6403] as [UInt64?])
  func `digests are compared without the kinds, which earlier versions did not tell`(
    _ mark: UInt64?
  ) {
    let first: [UInt64] = (1...10).map { line($0, $0.isMultiple(of: 3) ? .request : .skipped) }
    let others = (1...10).map { line($0, $0.isMultiple(of: 2) ? .other : .request) }
    let lines = compare(first, with: others, mark: mark)
    #expect(lines.found == 10 && lines.missing.isEmpty)
    #expect(lines.areOfOneInput(isHere: false, isPart: false))
    // The first six of ten lines, none of them a request, are most where kinds are not told.
    let most = compare(
      (1...10).map { line($0, $0 > 6 ? .request : .skipped) },
      with: (1...10).map { line($0 > 6 ? $0 + 50 : $0, .skipped) }, mark: mark)
    #expect(most.areOfOneInput(isHere: false, isPart: false) == (mark != nil))
  }

  @Test(
    arguments: [
      (#"{"platform":"android"}"#, .skipped),
      (#"{"kind":"challenge","time":1,"challenge":"YWJj"}"#, .other),
      ("no record", .other), (#"{"platform":"none","x":"omlzaWduYXR1cmVYRjBEAiA"}"#, .skipped),
      (
        #"{"kind":"assertion","time":1,"keyId":""# + String(repeating: "A", count: 43)
          + #"=","token":"omlzaWduYXR1cmVYRjBEAiA=","clientDataHash":""#
          + String(repeating: "a", count: 64) + "\"}",
        .request
      ),
    ] as [(String, LineKind)])
  func `a digest tells how its line is read`(_ text: String, _ kind: LineKind) {
    for size in [1, 7, 1000] {
      var told: [UInt64] = []
      let kinds = LineKinds(reader: RecordReader { _ in false }, lineLimit: 1000)
      var digests = LineDigests(kinds: kinds) { digest, _, _ in told.append(digest) }
      let bytes = Array(
        (text + "\n \n" + text + "\n" + #"{"platform":"none"}"#
          + String(repeating: " ", count: 1001)).utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        let piece = bytes[start..<min(start + size, bytes.count)]
        unsafe Array(piece).withUnsafeBytes { unsafe digests.take($0) }
      }
      digests.finish()
      #expect(
        told.map(LineDigests.kind) == [kind, .skipped, kind, .other], "the last one is too long")
      #expect(told[0] == told[2] && told[1] == 0)
    }
  }
}
