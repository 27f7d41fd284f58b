import Foundation
import TestSupport
import Testing

/// Files that came damaged more than once, each time in another place, before they came whole.
extension EndRepairedInputTests {
  /// Returns gzip members of so many lines each, of which those in `garbled` have another first line, and are
  /// cut off: what comes out is not as it was, and no checksum tells so.
  private func members(
    of count: Int = 12, _ garbled: [Int: (String) -> String] = [:]
  ) throws -> [[UInt8]] {
    let starts = stride(from: 0, to: day.lines.count, by: count)
    return try starts.enumerated().map { number, start in
      let lines = day.lines[start..<min(start + count, day.lines.count)]
      guard let change = garbled[number] else {
        return try Packed.gzip(day.log(start..<start + lines.count))
      }
      let changed = lines.enumerated().map { $0.offset == 0 ? change($0.element) : $0.element }
      return try Packed.gzip(Array(changed.map { $0 + "\n" }.joined().utf8)).dropLast(60)
    }
  }

  private func garbled(_ number: Int, of count: Int = 12) throws -> [UInt8] {
    try members(of: count, [number: { "x" + $0.dropFirst() }]).flatMap(\.self)
  }

  /// Returns one gzip member of which damage has left some lines, and its checksum fails.
  private func log(leaving isLeft: (Int) -> Bool) throws -> [UInt8] {
    let lines = day.lines.enumerated().map { isLeft($0.offset) ? $0.element : "x\($0.offset)" }
    var packed = try Packed.gzip(Array(lines.map { $0 + "\n" }.joined().utf8))
    packed[packed.count - 6] ^= 1
    return packed
  }

  /// Lets a night begin without the logs of the one before; to be called once its own are there, so that none
  /// takes the place of another.
  func clear(_ names: String...) throws {
    for name in names {
      try FileManager.default.removeItem(atPath: scratch.path + "/logs/" + name)
    }
  }

  private func expectNothingOpen(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let open = try Program.run(["state", "findings", "state"], in: scratch.path)
    #expect(open.output == "no open findings\n", "\(open)", sourceLocation: sourceLocation)
  }

  private func isReplay(_ finding: String) -> Bool {
    finding.contains(" replay.") || finding.contains(" record.duplicate")
  }

  @Test(arguments: [true, false])
  func `a file whose beginning damage garbled is known elsewhere by its lines`(_ isPlain: Bool)
    throws
  {
    try put("a.gz", garbled(0))
    #expect(try night(1, status: 2).findings.contains("high stream.corrupt logs/a.gz:0"))
    try put("b", isPlain ? day.log() : members().flatMap(\.self))
    try clear("a.gz")
    #expect(try night(2).findings == [])
    try expectNothingOpen()
  }

  @Test(arguments: [[0, 2], [2, 0], [0, 1], [3, 1]])
  func `two copies that are damaged in two places are audited once`(_ places: [Int]) throws {
    for (index, place) in places.enumerated() {
      try put("\(index).gz", garbled(place))
      let findings = try night(index + 1, status: 2).findings
      #expect(findings.contains("high stream.corrupt logs/\(index).gz:0"))
      #expect(!findings.contains(where: isReplay), "\(findings)")
    }
    try put("w.log", day.log())
    try clear("0.gz", "1.gz")
    #expect(try night(3).findings == [])
    try expectNothingOpen()
  }

  @Test(arguments: [0, 2])
  func `damage so near to the beginning that no long head is left takes no copy for another log`(
    _ place: Int
  ) throws {
    try put("0.gz", garbled(30, of: 2))
    _ = try night(1, status: 2)
    try put("1.gz", garbled(place, of: 2))
    let findings = try night(2, status: 2).findings
    #expect(!findings.contains(where: isReplay), "\(findings)")
  }

  @Test(arguments: [[0, 2], [2, 0], [0, 0]])
  func `two damaged copies of one night are audited once`(_ places: [Int]) throws {
    for (index, place) in places.enumerated() {
      let change: (String) -> String = { "\(index)" + $0.dropFirst() }
      try put("\(index).gz", members([place: change]).flatMap(\.self))
    }
    let findings = try night(1, status: 2).findings
    #expect(findings.count { $0.hasPrefix("high stream.corrupt") } == 2)
    #expect(!findings.contains(where: isReplay), "\(findings)")
    try put("w.log", day.log())
    try clear("0.gz", "1.gz")
    #expect(try night(2).findings == [])
    try expectNothingOpen()
  }

  @Test func `of two damaged copies of one night the longer one may be the second`() throws {
    let change: (String) -> String = { "x" + $0.dropFirst() }
    try put("0.gz", members([2: change]).prefix(4).flatMap(\.self))
    try put("1.gz", members([1: change]).flatMap(\.self))
    let findings = try night(1, status: 2).findings
    #expect(!findings.contains(where: isReplay), "\(findings)")
  }

  @Test func `what two copies have that nothing told is one once the whole file comes`() throws {
    let count = day.lines.count
    // Each has more than half of the lines, and few are in both.
    try put("0.gz", log { $0 < 3 || $0 >= count / 2 - 1 })
    try put("1.gz", log { $0 < count / 2 + 2 && $0 != 0 })
    let first = try night(1, status: 2).findings
    try put("w.log", day.log())
    try clear("0.gz", "1.gz")
    #expect(try night(2).findings == [], "\(first)")
    try expectNothingOpen()
    // Every line is known from now on: one that came again later is a replay.
    let assertions = day.lines.indices.filter { day.lines[$0].contains("\"omlz") }
    let again = try assertions.map { try day.line($0, ["time": "2027-01-01T00:00:00Z"]) + "\n" }
    try put("x.log", Array(again.joined().utf8))
    let replays = try night(3, status: 1).findings.filter { $0.contains(" replay.assertion") }
    #expect(replays.count == assertions.count)
  }

  @Test func `a copy that damage made longer is forgotten with the whole file`() throws {
    let more = (1...40).map { "garbage \($0)\n" }.joined()
    try put("a.gz", members([1: { _ in more }]).flatMap(\.self))
    #expect(try night(1, status: 2).findings.count > 40)
    try put("w.log", day.log())
    try clear("a.gz")
    #expect(try night(2).findings == [])
    try expectNothingOpen()
  }

  @Test func `a shorter copy with nothing in the place of a line withdraws nothing`() throws {
    let at = try #require(day.lines.firstIndex { $0.contains("\"payload\"") })
    let replay = try day.line(at, ["time": "2027-01-01T00:00:00Z", "decision": "accepted"])
    let middle = day.lines.count / 2
    let lines = day.lines[..<middle] + [replay] + day.lines[middle...]
    var broken = try Packed.gzip(Array(lines.map { $0 + "\n" }.joined().utf8))
    broken[broken.count - 6] ^= 1
    try put("a.gz", broken)
    #expect(try night(1, status: 2).findings.contains { $0.contains("critical replay.assertion") })
    try put("a.gz", try Packed.gzip(day.log()))
    #expect(try CSVTable.rows(night(2).bytes("withdrawn.csv")).isEmpty)
  }

  @Test func `a copy that ends before the last line came again withdraws nothing`() throws {
    let at = try #require(day.lines.lastIndex { $0.contains("\"payload\"") })
    let log = day.log(0..<at + 1)
    var broken = try Packed.gzip(log + Array((day.lines[at] + "\n").utf8))
    broken[broken.count - 6] ^= 1
    try put("a.gz", broken)
    #expect(try night(1, status: 2).findings.contains(where: isReplay))
    try put("a.gz", try Packed.gzip(log))
    #expect(try CSVTable.rows(night(2).bytes("withdrawn.csv")).isEmpty)
  }

  @Test(arguments: [true, false])
  func `a request in the same words in two damaged logs is one of each`(_ isOneNight: Bool) throws {
    let at = try #require(day.lines.lastIndex { $0.contains("\"payload\"") })
    let request = try day.line(at, ["requestId": nil])
    func log(_ lines: [String]) throws -> [UInt8] {
      var packed = try Packed.gzip(Array(lines.map { $0 + "\n" }.joined().utf8))
      packed[packed.count - 6] ^= 1
      return packed
    }
    try put("a.gz", log([request] + day.lines[..<at]))
    if !isOneNight { _ = try night(1, status: 2) }
    try put("b.gz", log([request, "{}"]))
    #expect(try night(2, status: 2).findings.contains { $0.contains("replay.assertion") })
  }
}
