import AuditEngine
import Testing

@testable import AuditLog
@testable import AuditState

struct InputLedgerTests {
  /// An input of 70,001 lines that was damaged.
  private func entry(_ source: UInt32, _ stamp: FileStamp? = nil) -> ReadInputs.Entry {
    var table = LineTable()
    for line in 0...70_000 {
      table.append(LineDigest(UInt64(line) << 40 | UInt64(source), .request), times: [Int64(line)])
    }
    table.damage.doubtful = LineRanges([3..<9])
    table.damage.lost = [2, 9]
    var place = LineDamage.Place()
    (place.byteOffset, place.lines, place.line) = (.max, 3..<9, 9)
    table.damage.places = [place]
    return ReadInputs.Entry(
      input: KnownInput(source: source, name: "log \(source)", table), digests: table.digests,
      stamp: stamp)
  }

  private func stamp(_ path: String, inode: UInt64 = 9, changed: Int64 = -1) -> FileStamp {
    FileStamp(
      path: path, device: .max, inode: inode, size: 5, modified: .min, changed: changed)
  }

  @Test func `inputs are remembered with their lines, and a file that has not changed is known`()
    throws
  {
    let bench = StateBench()
    let first = entry(0, stamp("/a"))
    try bench.night(0, names: ["a", "b"], inputs: [first, entry(1)])
    let ledger = try bench.open(.reference).ledger()
    #expect(try ledger.inputs() == [first.input, entry(1).input])
    #expect(try ledger.digests(of: 0) == first.digests)
    // A file that was renamed is the same file.
    #expect(try ledger.isKnown(stamp("/a")) && ledger.isKnown(stamp("/b")))
    #expect(try !ledger.isKnown(stamp("/a", inode: 10)))
    #expect(try !ledger.isKnown(stamp("/a", changed: 0)))
    #expect(try StateVerification.run(path: bench.path).damages == [])
  }

  @Test func `lines are remembered longer than the rows of keys of the same night`() throws {
    let bench = StateBench()
    try bench.night(0, names: ["a"], inputs: [entry(0)]) { history throws in
      try history.keep(rows: [[UInt8](repeating: 1, count: 100)])
    }
    #expect(try bench.open(day: 10).prune(StateBench.facts(10)).segments == 1)
    #expect(try bench.open(.reference).ledger().inputs() == [entry(0).input])
  }

  @Test func `lines that were replaced on several nights are replaced`() throws {
    let bench = StateBench()
    try bench.night(0, names: ["a"], inputs: [entry(0)])
    for (day, lines) in [(1, [4, 6]), (2, [5, 6])] as [(Int, [UInt64])] {
      try bench.night(
        day, names: ["b"],
        explained: [ReadInputs.Explained(source: 0, superseded: lines, repaired: [])])
    }
    let state = try bench.open(.reference)
    #expect(try state.ledger().inputs().first?.superseded == LineRanges([3..<6]))
    #expect(try state.beginRun(StateBench.facts(3)).history.replacedLines == [0: [4, 5, 6]])
  }
}
