import AuditEngine
import AuditLog
import Testing

@testable import AuditState

struct InputLedgerTests {
  private func input(
    _ source: UInt32, _ tag: UInt8, bytes: UInt64 = 10_000, head: UInt8? = 1
  ) -> AccountedInput {
    AccountedInput(
      source: source, name: "log \(source)", sha256: [UInt8](repeating: tag, count: 32),
      bytes: bytes, lines: .max, resumeBytes: bytes, resumeLines: 3,
      head: head.map { [UInt8](repeating: $0, count: 32) })
  }

  private func stamp(_ path: String, inode: UInt64 = 9, changed: Int64 = -1) -> FileStamp {
    FileStamp(
      path: path, device: .max, inode: inode, size: 5, modified: .min, changed: changed)
  }

  private func entry(_ input: AccountedInput, _ stamp: FileStamp? = nil) -> AccountedSources.Entry {
    AccountedSources.Entry(input: input, stamp: stamp)
  }

  @Test func `inputs are known by content, by an untouched file, and by how they begin`() throws {
    let bench = try StateBench()
    let first = entry(input(0, 1), stamp("/a"))
    let second = entry(input(1, 2, bytes: 20_000), stamp("/c", inode: 11))
    let short = entry(input(2, 3, bytes: 10, head: nil))
    try bench.night(
      0, names: ["a", "c", "d"], inputs: [first, second, short],
      copies: [entry(first.input, stamp("/b", inode: 10))])
    let ledger = try bench.open(.reference).ledger
    #expect(try ledger.input(content: first.input.sha256) == first.input)
    #expect(try ledger.input(content: [UInt8](repeating: 77, count: 32)) == nil)
    #expect(try ledger.input(untouched: stamp("/b", inode: 10)) == first.input)
    #expect(try ledger.input(untouched: stamp("/b", inode: 10, changed: 0)) == nil)
    let unknown = stamp("/z", inode: 99)
    #expect(
      try ledger.beginnings(head: first.input.head, stamp: unknown) == [second.input, first.input])
    #expect(try ledger.beginnings(head: nil, stamp: unknown).isEmpty)
    #expect(try ledger.beginnings(head: nil, stamp: stamp("/c", inode: 99)) == [second.input])
    #expect(try ledger.beginnings(head: nil, stamp: stamp("/z", inode: 9)) == [first.input])
  }

  @Test func `a file that an input was found in again is remembered`() throws {
    let bench = try StateBench()
    let first = entry(input(0, 1), stamp("/a"))
    try bench.night(0, inputs: [first])
    let state = try bench.open(day: 1)
    let run = try state.beginRun(StateBench.facts(1))
    var outcome = StateBench.outcome(["b"])
    outcome.seenAgain = [entry(first.input, stamp("/b", inode: 10))]
    try run.prepare(outcome)
    try run.commit()
    run.finish()
    #expect(try state.ledger.input(untouched: stamp("/a")) == first.input)
    #expect(try state.ledger.input(untouched: stamp("/b", inode: 10)) == first.input)
    #expect(try state.ledger.input(untouched: stamp("/b", inode: 11)) == nil)
  }

  @Test func `a file that grew for very long has all of its beginnings`() throws {
    let bench = try StateBench()
    let inputs = (0..<100).map { number in
      entry(
        input(UInt32(number), UInt8(number), bytes: UInt64(5000 + number)),
        stamp("/a", changed: Int64(number)))
    }
    try bench.night(0, names: inputs.map(\.input.name), inputs: inputs)
    let found = try bench.open(.reference).ledger.beginnings(
      head: inputs[0].input.head, stamp: stamp("/a"))
    #expect(found == inputs.reversed().map(\.input))
  }

  @Test func `of a damaged input the lines are remembered`() throws {
    let bench = try StateBench()
    var damaged = entry(input(0, 1))
    damaged.input.isDamaged = true
    damaged.digests = (0..<70_000).map { UInt64($0) << 40 } + [.max]
    try bench.night(0, names: ["a", "b"], inputs: [damaged, entry(input(1, 2))])
    let ledger = try bench.open(.reference).ledger
    #expect(try ledger.lines(of: 0) == damaged.digests)
    #expect(try ledger.lines(of: 1).isEmpty)
    #expect(try ledger.input(content: damaged.input.sha256)?.isDamaged == true)
    #expect(try StateVerification.run(path: bench.path).damages == [])
  }

  @Test func `damaged inputs are asked for as long as none is whole, and what their heads tell`()
    throws
  {
    let bench = try StateBench()
    let inputs = (0..<4).map { number in
      var entry = entry(input(UInt32(number), UInt8(number)))
      entry.input.isDamaged = number < 3
      entry.input.isHeadProven = number != 1
      return entry
    }
    try bench.night(0, names: inputs.map(\.input.name), inputs: inputs)
    #expect(try bench.open(.reference).ledger.damaged() == inputs[..<3].map(\.input))
    let run = try bench.open(day: 1).beginRun(StateBench.facts(1))
    var outcome = StateBench.outcome()
    outcome.replaced = [ReplacedInput(source: 1, lines: [])]
    try run.prepare(outcome)
    try run.commit()
    run.finish()
    let left = try bench.open(.reference).ledger.damaged()
    #expect(left == [inputs[0].input, inputs[2].input])
  }

  @Test func `since when a file waits is remembered as long as it does`() throws {
    let bench = try StateBench()
    func night(_ day: Int, _ waits: [AccountedSources.Wait]) throws {
      let run = try bench.open(day: day).beginRun(StateBench.facts(day))
      var outcome = StateBench.outcome()
      outcome.waits = waits
      try run.prepare(outcome)
      try run.commit()
      run.finish()
    }
    try night(0, [.init(path: "/a", since: 5), .init(path: "/b", since: 6)])
    #expect(try bench.open(.reference).ledger.waitingSince("/a") == 5)
    try night(1, [.init(path: "/b", since: 6)])
    #expect(try bench.open(.reference).ledger.waitingSince("/a") == nil)
    #expect(try bench.open(.reference).ledger.waitingSince("/b") == 6)
  }

  @Test func `sources are numbered through all runs, and keep their names`() throws {
    let bench = try StateBench()
    try bench.night(0, names: ["one", "two"]) { #expect($0.firstSource == 0) }
    try bench.night(1, names: []) { #expect($0.firstSource == 2) }
    try bench.night(2, names: ["three\nlines"]) { #expect($0.firstSource == 2) }
    let run = try bench.open(.reference).beginRun(StateBench.facts(3))
    #expect(run.history.firstSource == 3)
    #expect(
      (0..<4).map { run.history.sourceName(UInt32($0)) } == ["one", "two", "three\nlines", ""])
  }

  @Test func `a content that is read again under another number is told by its first`() throws {
    let bench = try StateBench()
    try bench.night(0, inputs: [entry(input(0, 1), stamp("/a"))])
    try bench.night(1, inputs: [entry(input(1, 1), stamp("/a"))])
    let ledger = try bench.open(.reference).ledger
    #expect(try ledger.input(content: [UInt8](repeating: 1, count: 32))?.source == 0)
    #expect(try ledger.input(untouched: stamp("/a"))?.source == 1)
  }
}
