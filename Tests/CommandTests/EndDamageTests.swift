import TestSupport
import Testing

/// Compressed streams that are cut, damaged, too large, or bombs: the rest is audited, in bounded
/// memory.
struct EndDamageTests {
  /// The shell waits, so that the program is a process of its own from the start.
  private static let shell = "\"$@\"; exit $?"

  private let audit = made { try EndAudit() }
  private let day = SyntheticDay.shared

  /// Three pieces of the day, of 10, 10 and 13 lines; the attestations are in the first.
  private var pieces: [[UInt8]] { [day.log(0..<10), day.log(10..<20), day.log(20..<33)] }

  @Test func `a line of a gibibyte in a few kilobytes is one reject`() throws {
    let bomb = Packed.bomb(0, count: 1 << 30)
    #expect(bomb.count < 50_000)
    try audit.scratch.write(
      "a.zst", Packed.zstd(pieces[0]) + bomb + Packed.zstd([0x0A] + pieces[1] + pieces[2]))
    let outcome = try audit.run("a.zst", "--quiet", shell: Self.shell)
    #expect(outcome == Program.Outcome(status: 0, output: "", errors: ""))
    #expect(try audit.report.findings == ["medium record.malformed_json a.zst:11"])
    let summary = try audit.report.summary
    #expect(summary.records["lines"] == 34)
    #expect(summary.records["assertions"] == 30)
    #expect(summary.inputs[0].decompressedBytes > 1 << 30)
    #expect(summary.run.peakMemoryBytes < 512 << 20)
    // Its head alone is kept.
    #expect(try audit.report.bytes("rejects.jsonl").count < 4096)
  }

  @Test func `lines as long as they may be take their memory once, not once for each job`() throws {
    // Of what is skipped, base64 is decoded, from four beginnings on.
    let line =
      Array(#"{"platform":"android","note":""#.utf8) + [UInt8](repeating: 0x61, count: 3_900_000)
      + Array("\"}\n".utf8)
    try audit.scratch.write("a.jsonl", Array(repeatElement(line, count: 4).joined()))
    let outcome = try audit.run(
      "a.jsonl", "--quiet", "--memory", "64MiB", "--jobs", "4", shell: Self.shell)
    #expect(outcome == Program.Outcome(status: 0, output: "", errors: ""))
    let summary = try audit.report.summary
    #expect(summary.records["skipped"] == 4)
    if !Sanitizer.isActive { #expect(summary.run.peakMemoryBytes < 96 << 20) }
  }

  @Test func `long texts of records are not held, neither for the index nor for the page`() throws {
    var lines = day.log()
    for index in 0..<14 {
      var texts: [String: String] = [:]
      for (number, name) in ["appId", "subject", "requestId"].enumerated() {
        let letters = [UInt8](repeating: UInt8(97 + (index + number) % 26), count: 1_200_000)
        texts[name] = String(decoding: letters, as: UTF8.self) + ".\(index)"
      }
      lines += Array((try day.line(30 + index % 3, texts) + "\n").utf8)
    }
    try audit.scratch.write("a.jsonl", lines)
    let outcome = try audit.run(
      "a.jsonl", "--quiet", "--memory", "64MiB", "--jobs", "2", "--index", shell: Self.shell)
    #expect(outcome.status == 1)
    #expect(outcome.errors.utf8.count < 2048)
    let summary = try audit.report.summary
    #expect(summary.records["assertions"] == 30 + 14)
    if !Sanitizer.isActive { #expect(summary.run.peakMemoryBytes < 96 << 20) }
  }

  @Test(.disabled(if: Sanitizer.isActive, "a sanitizer takes memory of its own"))
  func `the memory that is told is the program's, and not its parent's`() throws {
    let audit = try EndAudit()
    try audit.scratch.write("a.jsonl", audit.day.log())
    let ballast = [UInt8](repeating: 1, count: 400 << 20)
    #expect(try audit.run("a.jsonl", "--quiet").status == 0)
    #expect(ballast[ballast.count / 2] == 1)
    let peak = try audit.report.summary.run.peakMemoryBytes
    #expect(peak > 1 << 20 && peak < 300 << 20, "\(peak)")
  }
}
