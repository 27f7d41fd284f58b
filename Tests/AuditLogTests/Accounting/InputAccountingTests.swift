import Compression
import Foundation
import TestSupport
import Testing

@testable import AuditLog

@Suite struct `Input accounting` {
  let scratch: Scratch
  let nights = Nights()

  init() throws {
    scratch = try Scratch()
  }

  func milliseconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970 * 1000) }

  func touch(_ path: String, _ date: Date) throws {
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
  }

  // MARK: Known

  @Test func `an input is read once`() throws {
    let path = try scratch.write("a.jsonl", records(0..<100))
    let first = try nights.run([path])
    #expect(first.lines.count == 100 && first.notices.isEmpty)
    let input = try #require(first.accounted.fresh.first?.input)
    #expect(input.source == 0 && input.name == path && input.lines == 100)
    #expect(input.bytes == first.seen[0].summary.decompressedBytes)
    #expect(input.resumeBytes == input.bytes && input.resumeLines == 100)
    #expect(input.head?.count == 32)
    let looked = nights.headQuestions
    let second = try nights.run([path])
    #expect(second.origins == [.known] && second.lines.isEmpty)
    #expect(second.accounted.fresh.isEmpty && second.accounted.known.isEmpty)
    #expect(second.notices == ["\(path) was accounted for by an earlier run, and is skipped"])
    // Its stamp alone has told so.
    #expect(nights.headQuestions == looked)
  }

  @Test func `renamed, touched and recompressed it is not new`() throws {
    let text = Array(records(0..<200).utf8)
    let path = try scratch.write("a.jsonl", text)
    _ = try nights.run([path])
    try FileManager.default.moveItem(atPath: path, toPath: scratch.path + "/b")
    for name in [
      scratch.path + "/b", try scratch.write("c.zst", zstd([text])),
      try scratch.write(
        "d.zst", zstd([Array(text[..<999]), Array(text[999...])], checksum: false)),
      try scratch.write("e.gz", gzip([text], level: 9)), try scratch.write("a.jsonl", text),
    ] {
      let night = try nights.run([name])
      #expect(night.origins == [.known], "\(name)")
      #expect(night.accounted.known.map(\.input.source) == [0])
      #expect(night.accounted.known.first?.stamp == FileStamp(path: name))
      // From now on its stamp tells.
      #expect(try nights.run([name]).accounted.known.isEmpty)
    }
  }

  @Test func `a file that was written anew with other bytes is new`() throws {
    let path = try scratch.write("a", records(0..<60))
    _ = try nights.run([path])
    var other = Array(records(0..<60).utf8)
    other[3] ^= 1
    try scratch.write("a", other)
    let night = try nights.run([path])
    #expect(night.starts == [0] && night.lines.count == 60)
    #expect(night.accounted.fresh.map(\.input.source) == [1])
  }

  @Test func `a content that lies there twice is read once, the first file's`() throws {
    let text = Array(records(0..<50).utf8)
    let plain = try scratch.write("a", text)
    let packed = try scratch.write("b.gz", gzip([text]))
    let other = try scratch.write("c", records(50..<70))
    let night = try nights.run([packed, other, plain], jobs: 3)
    #expect(
      night.origins == [.file(path: packed), .file(path: other), .duplicate(of: 0)])
    #expect(night.lines.count == 70)
    #expect(night.accounted.fresh.map(\.input.source) == [0, 1])
    #expect(night.accounted.copies.map(\.input.source) == [0])
    #expect(night.accounted.copies.map(\.stamp?.path) == [FileStamp(path: plain)?.path])
    #expect(try nights.run([plain, packed, other]).origins == [.known, .known, .known])
    #expect(
      try nights.run([try scratch.write("d", text)]).accounted.known.map(\.input.source) == [0])
  }

  @Test func `empty files are one content`() throws {
    let empty = try scratch.write("a", "")
    let night = try nights.run([empty, try scratch.write("b.zst", zstd([[]]))])
    #expect(night.origins == [.file(path: empty), .duplicate(of: 0)])
    // What comes into one is all new.
    try scratch.write("a", "x\n")
    let next = try nights.run([empty])
    #expect(next.starts == [0] && next.texts == ["x"] && next.notices.isEmpty)
  }

  // MARK: Waiting

  @Test func `a file that is being written is read to its last whole line`() throws {
    let path = try scratch.write("a", "x\ny\nz")
    let changed = Date(timeIntervalSince1970: 1_800_000_000)
    try touch(path, changed)
    let time = milliseconds(changed)
    for (now, isOpen) in [
      (time, true), (time + 599_999, true), (time - 599_999, true), (time - 600_000, false),
      (time - 86_400_000, false), (Int64.min, false), (Int64.max, false),
    ] {
      let night = try Nights().run([path], now: now)
      #expect(night.texts == (isOpen ? ["x", "y"] : ["x", "y", "z"]), "\(now - time)")
      #expect(night.accounted.sources[0].part?.isOpen == isOpen)
      #expect(night.accounted.oldestWaiting == nil)
    }
    let first = try nights.run([path], now: time + 599_999)
    #expect(first.notices == ["\(path) is being written, and is read to its last whole line"])
    #expect(try nights.run([path], now: time).origins == [.known])
    try scratch.write("a", "x\ny\nzz\nq")
    try touch(path, changed)
    #expect(try nights.run([path], now: time).texts == ["zz"])
    // Nobody writes to it any more: its last line counts as it is.
    #expect(try nights.run([path]).texts == ["q"])
    #expect(try nights.run([path]).origins == [.known])
  }

  @Test func `what is cut off while it is written is no finding, and read once`() throws {
    let text = Array(records(0..<200).utf8)
    for packed in [try gzip([text]), try zstd([Array(text[..<9000]), Array(text[9000...])])] {
      let nights = Nights()
      var lines: [UInt64] = []
      for length in [packed.count / 4, packed.count / 2, packed.count * 3 / 4] {
        let path = try scratch.write("a.log", Array(packed.prefix(length)))
        let night = try nights.run([path], now: milliseconds(Date()))
        #expect(night.seen[0].damages.isEmpty)
        lines += night.lines.map(\.number)
      }
      let path = try scratch.write("a.log", packed)
      lines += try nights.run([path]).lines.map(\.number)
      #expect(lines == (1...200).map { UInt64($0) })
    }
  }

  @Test func `a file without a whole line waits, since it was found waiting first`() throws {
    let path = try scratch.write("a", "no end")
    let now = milliseconds(Date())
    let night = try nights.run([path], now: now)
    #expect(night.origins == [.waiting] && night.lines.isEmpty && night.accounted.fresh.isEmpty)
    #expect(night.accounted.waits.map(\.path) == [FileStamp(path: path)?.path])
    #expect(night.notices == ["\(path) is being written, and waits for a later run"])
    let since = try #require(night.accounted.oldestWaiting)
    #expect(abs(since - now) < 60_000)
  }

  @Test func `a file that is being written waits beside its whole copy, which is read`() throws {
    let text = records(0..<50)
    let live = try scratch.write("a", text + "{\"half\":")
    let copy = try scratch.write("b", text + "{\"half\":1}\n")
    try touch(copy, Date(timeIntervalSinceNow: -7200))
    let night = try nights.run([live, copy], now: milliseconds(Date()))
    #expect(night.lines.count == 51)
    #expect(night.origins.first == .waiting && night.starts[1] == 0)
  }

  @Test func `a file that grows while it is looked through is read to its last whole line`() throws
  {
    let path = try scratch.write("a", records(0..<100))
    let more = Data(records(100..<101).utf8)
    let night = try Nights {
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try file.seekToEnd()
      try file.write(contentsOf: more)
      try file.close()
    }.run([path])
    #expect(night.lines.count >= 100)
  }

  @Test func `a file that changes otherwise while it is looked through waits`() throws {
    let path = try scratch.write("a", records(0..<100))
    // Another file takes its place, or it goes.
    for change in [
      {
        try scratch.write("b", records(0..<100))
        #expect(unsafe rename(scratch.path + "/b", path) == 0)
      },
      { try? FileManager.default.removeItem(atPath: path) },
    ] as [@Sendable () throws -> Void] {
      try scratch.write("a", records(0..<100))
      #expect(try Nights(whenAsked: change).run([path]).origins == [.waiting])
    }
  }

  // MARK: Damaged

  @Test func `a damaged input that comes whole is read where it was not`() throws {
    let frames = try (0..<4).map { try zstd([Array(records($0 * 50..<$0 * 50 + 50).utf8)]) }
    var broken = frames
    for at in frames[1].count / 2..<frames[1].count { broken[1][at] = 0 }
    let path = try scratch.write("a.zst", broken.flatMap { $0 })
    let first = try nights.run([path])
    #expect(first.seen[0].damages.isEmpty == false && first.lines.count >= 150)
    let input = try #require(first.accounted.fresh.first)
    #expect(input.input.isDamaged && !input.digests.isEmpty)
  }

  // MARK: One run

  @Test func `an input that begins with another one of the run is another one`() throws {
    let short = try scratch.write("a.gz", gzip([Array(records(0..<30).utf8)]))
    let long = try scratch.write("b", records(0..<45))
    let tiny = try scratch.write("c", "{}\n")
    let other = try scratch.write("d", "{}\n{\"more\":1}\n")
    for inputs in [[short, long, tiny, other], [other, tiny, long, short]] {
      let night = try Nights().run(inputs)
      #expect(night.lines.count == 78)
      // It may be a log of its own with records that were sent again: without a state, too.
      var sources = InputPlan.sources(inputs, standardInputName: "-")
      let found = sources
      try ContentCopies.mark(&sources, Nights.pass())
      #expect(sources == found)
    }
  }

  @Test func `a copy that was cut off holds nothing of its own, nor what it copies but once`()
    throws
  {
    let text = Array(records(0..<60).utf8)
    let packed = try gzip([text])
    let whole = try scratch.write("a", text)
    let cut = try scratch.write("b.gz", Array(packed.prefix(packed.count / 2)))
    let again = try scratch.write("c.gz", Array(packed.prefix(packed.count / 2)))
    for inputs in [[whole, cut, again], [again, cut, whole]] {
      let night = try Nights().run(inputs)
      #expect(night.lines.count { $0.state == .whole } == 60)
      let first = inputs.first { $0 != whole } ?? ""
      #expect(
        night.notices == [
          "\(first) is a damaged copy of another input: the lines that both have are passed over"
        ])
    }
    // Damage in the middle is no end: what is behind it may be more than the other one has.
    var broken = try zstd([text]) + zstd([Array(records(60..<90).utf8)])
    broken[40] ^= 0xFF
    let damaged = try scratch.write("d.zst", broken)
    let night = try Nights().run([whole, damaged])
    #expect(night.accounted.fresh.count == 2)
    #expect(night.lines.count { $0.state == .whole } >= 90)
  }

  @Test func `a short part of an input is found among others that are as long as it`() throws {
    let whole = try scratch.write("whole", records(0..<200))
    let others = try (1...6).map { number in
      try scratch.write("other-\(number)", records(number * 1000..<number * 1000 + 40))
    }
    // Frames, so that it is known how much is left.
    let frames = try stride(from: 0, to: 40, by: 4).map {
      try zstd([Array(records($0..<$0 + 4).utf8)])
    }
    let cut = try scratch.write("cut.zst", frames.joined() + Array(frames[0].prefix(9)))
    for inputs in [others + [whole, cut], [cut, whole] + others] {
      let night = try Nights().run(inputs)
      #expect(night.lines.count { $0.state == .whole } == 200 + 6 * 40)
      #expect(night.notices.contains { $0.hasPrefix("\(cut) is a damaged copy of another input") })
    }
  }

  @Test func `a copy that is compressed is a duplicate, without a state too`() throws {
    let text = Array(records(0..<30).utf8)
    let inputs = [
      try scratch.write("a.gz", gzip([text])), try scratch.write("b", text),
      try scratch.write("c.zst", zstd([text])), try scratch.write("d", records(1..<30)),
      try scratch.write("e", ""), try scratch.write("f", ""),
    ]
    var sources = InputPlan.sources(inputs, standardInputName: "-", comparesBytes: false)
    try ContentCopies.mark(&sources, Nights.pass())
    #expect(
      sources.map(\.origin) == [
        .file(path: inputs[0]), .duplicate(of: 0), .duplicate(of: 0), .file(path: inputs[3]),
        .file(path: inputs[4]), .file(path: inputs[5]),
      ])
  }

  // MARK: What cannot be read

  @Test func `what cannot be read is not accounted for`() throws {
    let missing = scratch.path + "/missing"
    let fifo = scratch.path + "/fifo"
    #expect(unsafe mkfifo(fifo, 0o600) == 0)
    let night = try nights.run([missing, scratch.path + "/*.none"])
    #expect(night.accounted.fresh.isEmpty)
    #expect(night.seen.map(\.summary.damage) == [.unreadable, .unreadable])
    #expect(
      try nights.run(["-"]).origins == [.unreadable("standard input cannot be accounted for")])
  }

  @Test func `a frame that needs more window makes the whole file wait for it`() throws {
    let content = Array(records(0..<60_000).utf8)
    var bytes = try zstd([Array(records(0..<3).utf8)])
    bytes += try zstd([content])
    let path = try scratch.write("a.zst", bytes)
    let night = try nights.run([path], windowLimit: 1 << 10)
    #expect(night.lines.isEmpty && night.accounted.fresh.isEmpty)
    #expect(night.seen[0].damages.map(\.kind) == [.unreadable])
    #expect(night.seen[0].damages.first?.detail.contains("limits.zstdWindowBytes") == true)
    #expect(try nights.run([path]).lines.count == 60_003)
  }

  @Test func `a damaged stream is accounted for by what can be decoded`() throws {
    var broken = try zstd([Array(records(0..<40).utf8)])
    broken[broken.count - 1] ^= 1
    let bytes = broken + (try zstd([Array(records(40..<80).utf8)]))
    let path = try scratch.write("a.zst", bytes)
    let night = try nights.run([path])
    #expect(night.lines.count == 80 && night.seen[0].damages.count == 1)
    let renamed = try scratch.write("b", records(0..<80))
    #expect(try nights.run([renamed]).origins == [.known])
    // Grown, its damage is not told again; new damage is.
    try scratch.write("a.zst", bytes + (try zstd([Array(records(80..<90).utf8)])))
    let grown = try nights.run([path])
    #expect(grown.lines.map(\.number) == (81...90).map { UInt64($0) })
    #expect(grown.seen[0].damages.isEmpty && grown.seen[0].summary.damage == nil)
    try scratch.write("a.zst", bytes + (try zstd([Array(records(80..<99).utf8)])).dropLast(3))
    let cut = try nights.run([path])
    #expect(cut.seen[0].damages.map(\.kind) == [.truncated])
  }

  @Test func `an error of the ledger ends the run`() throws {
    struct Broken: Error {}
    let path = try scratch.write("a", records(0..<100))
    #expect(throws: Broken.self) {
      try Nights(whenAsked: { throw Broken() }).run([path, path + "x"])
    }
  }

  @Test func `many files at once come to what one after another come to`() throws {
    let paths = try (0..<40).map { index in
      try scratch.write("f\(index)", records((index % 7) * 50..<(index % 7) * 50 + 60))
    }
    let one = try Nights().run(paths, jobs: 1)
    let many = try Nights().run(paths, jobs: 8)
    #expect(one.accounted.sources == many.accounted.sources)
    #expect(one.accounted.fresh.map(\.input) == many.accounted.fresh.map(\.input))
    #expect(one.origins.prefix(8) == paths.prefix(7).map { .file(path: $0) } + [.duplicate(of: 0)])
  }

  // MARK: Looking at a state

  @Test func `a run for reference recognises what it reads again`() throws {
    let path = try scratch.write("a", records(0..<100))
    _ = try nights.run([path])
    try scratch.write("a", records(0..<120))
    _ = try nights.run([path])
    let packed = try scratch.write("b.gz", gzip([Array(records(0..<120).utf8)]))
    let fresh = try scratch.write("c", records(200..<300))
    #expect(try nights.recognise([fresh, "-", scratch.path + "/none"]) == RecognisedSources())
    let found = try nights.recognise([fresh, packed])
    #expect(found.numbers == [0, 1] && found.names == [packed])
    // The stamp alone does not tell which other inputs the content holds.
    #expect(try nights.recognise([path]).numbers == [0, 1])
    #expect(try nights.recognise([try scratch.write("d", records(0..<100))]).numbers == [0])
    #expect(InputNotices.lines(found).count == 1)
  }

  // MARK: Notices

  @Test func `notices name three and count the others`() throws {
    let paths = try (0..<5).map { try scratch.write("f\($0)", records($0 * 9..<$0 * 9 + 9)) }
    _ = try nights.run(paths)
    let names = paths.prefix(3).joined(separator: ", ")
    #expect(
      try nights.run(paths).notices
        == ["5 inputs were accounted for by earlier runs, and are skipped: \(names) and 2 more"])
    #expect(
      try nights.run(Array(paths.prefix(2))).notices == [
        "2 inputs were accounted for by earlier runs, and are skipped: \(paths[0]), \(paths[1])"
      ])
  }
}
