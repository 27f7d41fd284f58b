import TestSupport
import Testing

/// Compressed streams that are cut, damaged, too large, or bombs: the rest is audited, in bounded
/// memory.
struct EndDamageTests {
  private let audit: EndAudit
  private let day = SyntheticDay.shared

  init() throws {
    audit = try EndAudit()
  }

  /// Three pieces of the day, of 10, 10 and 13 lines; the attestations are in the first.
  private var pieces: [[UInt8]] { [day.log(0..<10), day.log(10..<20), day.log(20..<33)] }

  @Test func `a zstd frame that ends early`() throws {
    let frames = try pieces.map { try Packed.zstd($0) }
    try audit.scratch.write("a.zst", frames[0] + frames[1].prefix(frames[1].count / 2))
    try audit.expect(
      "a.zst", status: 2, findings: ["high stream.truncated a.zst:0"],
      lines: ["lines": 10, "attestations": 3, "assertions": 7])
    #expect(try audit.report.inputs == ["a.zst truncated"])
    #expect(
      try audit.report.details("stream.truncated") == [
        "The file ends inside a zstd block, at byte \(frames[0].count + frames[1].count / 2) of "
          + "the file; what follows line 10 is damaged."
      ])
  }

  @Test func `a zstd frame without its checksum`() throws {
    let frames = try pieces.map { try Packed.zstd($0) }
    try audit.scratch.write("a.zst", frames[0] + frames[1] + frames[2].dropLast(2))
    try audit.expect(
      "a.zst", status: 2, findings: ["high stream.truncated a.zst:0"],
      lines: ["lines": 33, "assertions": 30, "unreadable": 0])
    let detail = try #require(try audit.report.details("stream.truncated").first)
    #expect(detail.contains("inside a zstd frame's checksum"), "\(detail)")
  }

  @Test func `a gzip member that ends early`() throws {
    let members = try pieces.map { try Packed.gzip($0) }
    // What is left of the second member ends within a line.
    try audit.scratch.write("a.gz", members[0] + members[1].dropLast(400))
    let outcome = try audit.run("a.gz", "--quiet")
    #expect(outcome == Program.Outcome(status: 2, output: "", errors: ""))
    let findings = try audit.report.findings
    #expect(findings.count == 2)
    #expect(findings.first == "high stream.truncated a.gz:0")
    let lines = try #require(try audit.report.summary.records["lines"])
    #expect((11...20).contains(lines))
    #expect(findings.last == "medium record.malformed_json a.gz:\(lines)")
    // Only the trailer is missing: every line is there.
    try audit.scratch.write("a.gz", members[0] + members[1].dropLast(8))
    try audit.expect(
      "a.gz", status: 2, findings: ["high stream.truncated a.gz:0"], lines: ["lines": 20])
  }

  @Test func `a damaged frame in the middle is stepped over`() throws {
    var frames = try pieces.map { try Packed.zstd($0) }
    let block = Packed.firstBlock(ofZstd: frames[1])
    // A block of the kind that is reserved (RFC 8878, 3.1.1.2.2).
    frames[1][block] |= 0b110
    try audit.scratch.write("a.zst", frames.flatMap { $0 })
    try audit.expect(
      "a.zst", status: 2, findings: ["high stream.corrupt a.zst:0"],
      lines: ["lines": 23, "attestations": 3, "assertions": 20, "unreadable": 0])
    #expect(try audit.report.inputs == ["a.zst corrupt"])
  }

  @Test func `a damaged member in the middle is stepped over`() throws {
    var members = try pieces.map { try Packed.gzip($0) }
    // A block of the kind that is reserved (RFC 1951, 3.2.3), right behind the header.
    members[1][10] |= 0b110
    try audit.scratch.write("a.gz", members.flatMap { $0 })
    try audit.expect(
      "a.gz", status: 2, findings: ["high stream.corrupt a.gz:0"],
      lines: ["lines": 23, "attestations": 3, "assertions": 20, "unreadable": 0])
  }

  @Test func `each damaged place is one finding`() throws {
    var frames = try (0..<5).map { try Packed.zstd(day.log($0 * 6..<$0 * 6 + 6)) }
    for index in [1, 3] { frames[index][Packed.firstBlock(ofZstd: frames[index])] |= 0b110 }
    try audit.scratch.write("a.zst", frames.flatMap { $0 })
    try audit.expect(
      "a.zst", status: 2,
      findings: ["high stream.corrupt a.zst:0", "high stream.corrupt a.zst:0"],
      lines: ["lines": 18, "unreadable": 0])
    let offsets = [frames[0].count, frames[0...2].reduce(0) { $0 + $1.count }]
    let details = try audit.report.details("stream.corrupt")
    #expect(details.count == 2)
    for (detail, last) in zip(details, [6, 12]) {
      #expect(detail.hasSuffix("; what follows line \(last) is damaged."), "\(detail)")
    }
    #expect(offsets[0] < offsets[1])
  }

  @Test func `content whose checksum fails is audited, and called unproven`() throws {
    var frames = try pieces.map { try Packed.zstd($0) }
    frames[1][frames[1].count - 1] ^= 1
    try audit.scratch.write("a.zst", frames.flatMap { $0 })
    var members = try pieces.map { try Packed.gzip($0) }
    members[1][members[1].count - 5] ^= 1
    try audit.scratch.write("a.gz", members.flatMap { $0 })
    for name in ["a.zst", "a.gz"] {
      try audit.expect(
        name, status: 2, findings: ["high stream.corrupt \(name):0"],
        lines: ["lines": 33, "assertions": 30, "unreadable": 0])
      let detail = try #require(try audit.report.details("stream.corrupt").first)
      #expect(detail.hasSuffix("; lines 11 to 20 are unproven."), "\(detail)")
    }
  }

  @Test func `damage ends a line, and lines never join across it`() throws {
    // The frame's end is the middle of a line, whose other half is lost with the next frame.
    let log = day.log()
    let cut = day.log(0..<10).count + 100
    var second = try Packed.zstd(Array(log[cut..<cut + 3000]))
    second[Packed.firstBlock(ofZstd: second)] |= 0b110
    let rest = try Packed.zstd(Array(log[(cut + 3000)...]))
    try audit.scratch.write("a.zst", try Packed.zstd(Array(log[..<cut])) + second + rest)
    let outcome = try audit.run("a.zst", "--quiet")
    #expect(outcome.status == 2)
    let findings = try audit.report.findings
    #expect(
      findings == [
        "high stream.corrupt a.zst:0", "medium record.malformed_json a.zst:11",
        "medium record.malformed_json a.zst:12",
      ])
    let rejects = try audit.report.text("rejects.jsonl")
    #expect(rejects.contains("The line ends early: damage in the stream cuts it at byte 100."))
  }

  @Test func `trailing junk is damage, zero padding behind gzip is none`() throws {
    let junk = Array("junk\n".utf8)
    try audit.scratch.write("a.zst", try Packed.zstd(day.log()) + junk)
    try audit.scratch.write("a.gz", try Packed.gzip(day.log()) + junk)
    for name in ["a.zst", "a.gz"] {
      try audit.expect(
        name, status: 2, findings: ["high stream.corrupt \(name):0"],
        lines: ["lines": 33, "assertions": 30, "unreadable": 0])
    }
    let padding = [UInt8](repeating: 0, count: 1000)
    try audit.scratch.write("b.gz", try Packed.gzip(day.log()) + padding)
    try audit.expect("b.gz", status: 0, findings: [], lines: ["lines": 33])
    try audit.scratch.write("c.gz", try Packed.gzip(day.log()) + padding + junk)
    try audit.expect("c.gz", status: 2, findings: ["high stream.corrupt c.gz:0"])
  }

  @Test func `a window too large names the setting`() throws {
    let audit = try EndAudit(settings: "limits: {zstdWindowBytes: 1MiB}\n")
    try audit.scratch.write("a.zst", Packed.zstd(day.log(), windowLog: 23))
    try audit.scratch.write("b.zst", Packed.zstd(day.log(), windowLog: 20))
    try audit.expect(
      "a.zst", "b.zst", status: 2, findings: ["high stream.unreadable a.zst:0"],
      lines: ["lines": 33])
    #expect(try audit.report.inputs == ["a.zst unreadable", "b.zst ok"])
    let detail = try #require(try audit.report.details("stream.unreadable").first)
    #expect(detail.contains("limits.zstdWindowBytes"), "\(detail)")
    #expect(detail.contains("8388608") || detail.contains("8 MiB"), "\(detail)")
  }

  @Test func `a line of a gibibyte in a few kilobytes is one reject`() throws {
    let bomb = Packed.bomb(0, count: 1 << 30)
    #expect(bomb.count < 50_000)
    try audit.scratch.write(
      "a.zst", try Packed.zstd(pieces[0]) + bomb + Packed.zstd([0x0A] + pieces[1] + pieces[2]))
    // The shell waits, so that the program is a process of its own from the start.
    let running = try Program.start(
      EndAudit.arguments(["a.zst", "--quiet"]), in: audit.scratch.path, shell: "\"$@\"; exit $?")
    #expect(try running.wait() == Program.Outcome(status: 0, output: "", errors: ""))
    #expect(try audit.report.findings == ["medium record.malformed_json a.zst:11"])
    let summary = try audit.report.summary
    #expect(summary.records["lines"] == 34)
    #expect(summary.records["assertions"] == 30)
    #expect(summary.inputs[0].decompressedBytes > 1 << 30)
    #expect(summary.run.peakMemoryBytes < 512 << 20)
    // Its head alone is kept.
    #expect(try audit.report.bytes("rejects.jsonl").count < 4096)
  }

  @Test func `a bomb of line ends is blank lines`() throws {
    try audit.scratch.write(
      "a.zst",
      try Packed.zstd(pieces[0]) + Packed.bomb(0x0A, count: 1 << 20) + Packed.zstd(pieces[1]))
    try audit.expect(
      "a.zst", status: 0, findings: [],
      lines: ["lines": 20 + 1 << 20, "blank": 1 << 20, "assertions": 17])
  }

  @Test func `memory stays bounded while a bomb is read`() throws {
    let size = Sanitizer.isActive ? 32 << 20 : 256 << 20
    try audit.scratch.write("a.zst", Packed.bomb(0x78, count: size))
    let running = try Program.start(
      EndAudit.arguments(["a.zst", "--quiet", "--memory", "64MiB"]), in: audit.scratch.path)
    var peak = 0
    _ = running.poll {
      peak = max(peak, running.peakMemory ?? 0)
      return false
    }
    #expect(try running.wait().status == 2)
    #expect(peak > 0)
    #expect(peak < 512 << 20)
    #expect(try audit.report.findings == ["medium record.malformed_json a.zst:1"])
  }

  @Test func `lines as long as they may be take their memory once, not once for each job`() throws {
    // Of what is skipped, base64 is decoded, from four beginnings on.
    let line =
      Array(#"{"platform":"android","note":""#.utf8) + [UInt8](repeating: 0x61, count: 3_900_000)
      + Array("\"}\n".utf8)
    try audit.scratch.write("a.jsonl", Array(repeatElement(line, count: 6).joined()))
    let running = try Program.start(
      EndAudit.arguments(["a.jsonl", "--quiet", "--memory", "64MiB", "--jobs", "4"]),
      in: audit.scratch.path, shell: "\"$@\"; exit $?")
    #expect(try running.wait() == Program.Outcome(status: 0, output: "", errors: ""))
    let summary = try audit.report.summary
    #expect(summary.records["skipped"] == 6)
    if !Sanitizer.isActive { #expect(summary.run.peakMemoryBytes < 96 << 20) }
  }

  @Test func `long texts of records are not held, neither for the index nor for the page`() throws {
    var lines = day.log()
    for index in 0..<24 {
      var texts: [String: String] = [:]
      for (number, name) in ["appId", "subject", "requestId"].enumerated() {
        let letter = String(UnicodeScalar(UInt8(97 + (index + number) % 26)))
        texts[name] = String(repeating: letter, count: 1_200_000) + ".\(index)"
      }
      lines += Array((try day.line(30 + index % 3, texts) + "\n").utf8)
    }
    try audit.scratch.write("a.jsonl", lines)
    let running = try Program.start(
      EndAudit.arguments(["a.jsonl", "--quiet", "--memory", "64MiB", "--jobs", "2", "--index"]),
      in: audit.scratch.path, shell: "\"$@\"; exit $?")
    let outcome = try running.wait()
    #expect(outcome.status == 1)
    #expect(outcome.errors.utf8.count < 2048)
    let summary = try audit.report.summary
    #expect(summary.records["assertions"] == 30 + 24)
    if !Sanitizer.isActive { #expect(summary.run.peakMemoryBytes < 128 << 20) }
  }
}
