import Foundation
import TestSupport
import Testing

/// Inputs that are missing, empty, no logs, or reached in odd ways.
struct EndInputTests {
  private let audit: EndAudit
  private let day = SyntheticDay.shared

  init() throws {
    audit = try EndAudit()
  }

  @Test func `a missing file is told, and the others are audited`() throws {
    try audit.scratch.write("a.jsonl", day.log())
    try audit.expect(
      "missing.jsonl", "a.jsonl", status: 2, findings: ["high stream.unreadable missing.jsonl:0"],
      lines: ["lines": 33, "attestations": 3, "assertions": 30])
    #expect(
      try audit.report.details("stream.unreadable")
        == ["The input cannot be read: no such file or directory."])
    #expect(try audit.report.inputs == ["missing.jsonl unreadable", "a.jsonl ok"])
    #expect(try audit.report.summary.inputs[0].sha256 == nil)
  }

  @Test func `a link to nothing is unreadable, and a folder that holds itself is walked once`()
    throws
  {
    try audit.scratch.write("logs/a.jsonl", day.log())
    try audit.scratch.link("logs/again", to: ".")
    try audit.scratch.link("logs/dangling", to: "nowhere")
    try audit.scratch.link("logs/self", to: "self")
    try audit.expect(
      "logs", status: 2,
      findings: [
        "high stream.unreadable logs/dangling:0", "high stream.unreadable logs/self:0",
      ], lines: ["lines": 33])
    #expect(
      try audit.report.inputs == [
        "logs/a.jsonl ok", "logs/dangling unreadable", "logs/self unreadable",
      ])
    #expect(
      try audit.report.details("stream.unreadable") == [
        "The input cannot be read: no such file or directory.",
        "The input cannot be read: too many levels of symbolic links.",
      ])
  }

  @Test func `a folder within a file is unreadable`() throws {
    try audit.scratch.write("a.jsonl", day.log())
    try audit.expect(
      "a.jsonl/b", "a.jsonl", status: 2, findings: ["high stream.unreadable a.jsonl/b:0"],
      lines: ["lines": 33])
  }

  @Test func `a glob that nothing matches and an empty folder are unreadable`() throws {
    try audit.scratch.makeFolder("empty")
    try audit.expect(
      "*.zst", "empty", status: 2,
      findings: ["high stream.unreadable *.zst:0", "high stream.unreadable empty:0"],
      lines: ["lines": 0])
  }

  @Test func `an empty file holds nothing, and that is no damage`() throws {
    try audit.scratch.write("empty.jsonl", "")
    try audit.scratch.write("frame.zst", Packed.zstd([]))
    try audit.scratch.write("member.gz", Packed.gzip([]))
    try audit.expect(
      "empty.jsonl", "frame.zst", "member.gz", status: 0, findings: [], lines: ["lines": 0])
    #expect(try audit.report.inputs == ["empty.jsonl ok", "frame.zst ok", "member.gz ok"])
    #expect(
      try audit.report.summary.inputs[0].sha256
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test func `a picture is no log`() throws {
    let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D]
    try audit.scratch.write("p.png", picture + Array("IHDR\n\0\0\n".utf8))
    try audit.expect(
      "p.png", status: 2,
      errors: "attest-audit: notice: 4 of 4 lines of p.png cannot be read with the schema default: "
        + "is it another log? attest-audit init p.png infers a schema\n",
      findings: (1...4).map { "medium record.malformed_json p.png:\($0)" },
      lines: ["lines": 4, "unreadable": 4])
    #expect(try audit.run("p.png", "--fail-on", "medium", "--quiet").status == 2)
  }

  @Test func `a byte order mark and carriage returns are no part of a line`() throws {
    try audit.scratch.write("a.jsonl", [0xEF, 0xBB, 0xBF] + day.log(lineEnd: "\r\n"))
    try audit.expect(
      "a.jsonl", status: 0, findings: [], lines: ["lines": 33, "blank": 0, "unreadable": 0])
  }

  @Test
  func `a byte order mark before a line in the middle is odd, and blank lines are counted`() throws
  {
    let log = day.log(0..<3) + Array("\n \t\r\n".utf8) + [0xEF, 0xBB, 0xBF] + day.log(3..<33)
    // Without its last line end.
    try audit.scratch.write("a.jsonl", log.dropLast())
    try audit.expect(
      "a.jsonl", status: 0, findings: ["low record.odd_json a.jsonl:6"],
      lines: ["lines": 35, "blank": 2, "unreadable": 0, "assertions": 30])
  }

  @Test func `standard input has the name it is given`() throws {
    let expected = ["medium record.malformed_json gateway:34"]
    let log = day.log() + Array("x".utf8)
    for stream in [log, try Packed.zstd(log), try Packed.gzip(log)] {
      try audit.expect(
        "-", "--stdin-name", "gateway", input: stream, status: 0, findings: expected,
        lines: ["lines": 34])
    }
    try audit.expect("-", input: log, status: 0, findings: ["medium record.malformed_json -:34"])
  }

  @Test func `a list of paths is read`() throws {
    try audit.scratch.write("a b.jsonl", day.log(0..<20))
    try audit.scratch.write("c.jsonl", day.log(20..<33))
    try audit.scratch.write("list", "c.jsonl\r\n\n  \na b.jsonl")
    try audit.expect("--files-from", "list", status: 0, findings: [], lines: ["lines": 33])
    #expect(try audit.report.inputs == ["c.jsonl ok", "a b.jsonl ok"])
    try audit.expect(
      "--files-from", "-", input: Array("a b.jsonl\n".utf8), status: 0, findings: [],
      lines: ["lines": 20])
  }

  @Test func `what is there twice is audited once, and told`() throws {
    try audit.scratch.write("a.jsonl", day.log())
    try audit.scratch.write("copy.jsonl", day.log())
    try audit.scratch.write("other.jsonl", day.log(1..<4))
    try audit.scratch.link("link.jsonl", to: "a.jsonl")
    try audit.expect(
      "a.jsonl", "copy.jsonl", "./a.jsonl", "link.jsonl", status: 0,
      errors: "attest-audit: notice: copy.jsonl: all 33 lines were read before, in a.jsonl\n"
        + ["./a.jsonl", "link.jsonl"].map {
          "attest-audit: notice: \($0) is the same file as a.jsonl and is left out\n"
        }.joined(), findings: [], lines: ["lines": 66, "known": 33])
    #expect(
      try audit.report.inputs == [
        "a.jsonl ok", "copy.jsonl ok", "./a.jsonl duplicate", "link.jsonl duplicate",
      ])
    // A few lines that two files have are requests that were logged twice, if they tell which
    // request they are; else they are replays.
    let expected = try (1...3).map { line in
      let record =
        try JSONSerialization.jsonObject(with: Data(day.lines[line].utf8)) as? [String: Any]
      let isNamed = record?["requestId"] is String
      let kind = record?["challenge"] == nil ? "assertion" : "attestation"
      return (isNamed ? "info record.duplicate" : "critical replay.\(kind)")
        + " other.jsonl:\(line)"
    }
    try audit.expect(
      "a.jsonl", "other.jsonl", status: expected.contains { $0.hasPrefix("critical") } ? 1 : 0,
      findings: expected)
    #expect(
      try audit.report.findingRows.map {
        "\($0["related_source"] ?? ""):\($0["related_line"] ?? "")"
      }
        == ["a.jsonl:2", "a.jsonl:3", "a.jsonl:4"])
  }

  @Test func `an input that is the first part of another one is audited, too`() throws {
    var record = try #require(
      try JSONSerialization.jsonObject(with: Data(day.lines[0].utf8)) as? [String: Any])
    record["requestId"] = nil
    let line = String(
      decoding: try JSONSerialization.data(withJSONObject: record), as: UTF8.self)
    try audit.scratch.write("a.jsonl", Array((line + "\n").utf8) + day.log(1..<4))
    try audit.scratch.write("b.jsonl", line + "\n")
    try audit.expect(
      "a.jsonl", "b.jsonl", status: 1, findings: ["critical replay.attestation b.jsonl:1"],
      lines: ["lines": 5])
  }

  @Test
  func `sources are told without detours, but never past a link`() throws {
    let pipeline = String(decoding: try audit.scratch.bytes("pipeline.yaml"), as: UTF8.self)
      .replacing("anchors/", with: audit.scratch.path + "/anchors/")
      .replacing(
        #/inputs:.*/#, with: "inputs: ['../v/a.jsonl', './b.jsonl', './/../v/./c.jsonl', './-']")
    for (folder, place, expected) in [
      ("p", "p", ["v/a.jsonl", "p/b.jsonl", "v/./c.jsonl", "p/-"]),
      ("", ".", ["../v/a.jsonl", "b.jsonl", "../v/./c.jsonl", "./-"]),
      ("link", "deep/q", ["link/../v/a.jsonl", "link/b.jsonl", "link/../v/./c.jsonl", "link/-"]),
    ] {
      try audit.scratch.write(place + "/p.yaml", pipeline)
      // A run needs an input that exists.
      try audit.scratch.write(place + "/b.jsonl", "")
      if folder == "link" { try audit.scratch.link(folder, to: place) }
      let outcome = try Program.run(
        [
          "audit", "--pipeline", (folder.isEmpty ? "" : folder + "/") + "p.yaml", "--out", "report",
          "--overwrite",
        ], in: audit.scratch.path)
      #expect(outcome.status == 2, "\(outcome.errors)")
      #expect(try audit.report.summary.inputs.map(\.source) == expected)
    }
  }

  @Test func `the order of the inputs is the order of the report`() throws {
    try audit.scratch.write("a", "x\n")
    try audit.scratch.write("b", "y\n")
    for order in [["a", "b"], ["b", "a"]] {
      _ = try audit.run(order + ["--quiet"])
      #expect(
        try audit.report.findings == order.map { "medium record.malformed_json \($0):1" })
    }
  }
}
