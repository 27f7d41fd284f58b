import Foundation
import TestSupport
import Testing

/// A forged day with every attack and its report, made once for all tests of investigations.
struct ForgedReport {
  let day: ForgedDay
  let findings: [Row]

  struct Row: Decodable, Sendable {
    let code: String
    let source: String
    let line: Int
    let fingerprint: String
  }

  static let shared = Result { try ForgedReport() }
  /// The same, with a damaged frame in front of every log.
  static let damaged = Result { try ForgedReport { try $0.damage() } }
  /// Such a day of a server that knows keys by their device, and logs the counter that it has
  /// stored.
  static let damagedDevices = Result {
    try ForgedReport([
      "--keys", "12", "--assertions", "200", "--files", "3", "--schema", "header-assertion",
    ]) { try $0.damage() }
  }

  init(
    _ flags: [String] = ["--keys", "12", "--assertions", "200", "--files", "3"],
    _ change: (ForgedDay) throws -> Void = { _ in }
  ) throws {
    day = try ForgedDay()
    try day.forge(["--attacks", "all", "--seed", "1"] + flags)
    try change(day)
    #expect(try day.audit("day/pipeline.yaml", "--quiet").status == 2)
    findings = try day.scratch.report().text("findings.jsonl").split(separator: "\n").map {
      try JSONDecoder().decode(Row.self, from: Data($0.utf8))
    }
  }

  var path: String { day.scratch.path }
  var report: String { path + "/report" }

  /// The first finding of each code.
  var firsts: [Row] {
    var seen: Set<String> = []
    return findings.filter { seen.insert($0.code).inserted }
  }

  func first(_ code: String) throws -> Row {
    try #require(findings.first { $0.code == code })
  }

  /// Runs a command in the folder of no input: paths have to come from the report.
  func run(_ arguments: String..., in folder: String = "/") throws -> Program.Outcome {
    try run(arguments, in: folder)
  }

  func run(_ arguments: [String], in folder: String = "/") throws -> Program.Outcome {
    try Program.run(arguments, in: folder, environment: ["TMPDIR": path])
  }
}

extension ForgedDay {
  /// Packs every log that is whole again: behind a frame of blank lines that is damaged in its
  /// middle, twenty lines a frame or member.
  fileprivate func damage() throws {
    var random = Generator(15)
    let folder = scratch.path + "/day/logs"
    for (number, name) in try ReportFolder(path: folder).names.enumerated()
    where !name.hasPrefix("edge-z") {
      func pack(_ content: [UInt8]) throws -> [UInt8] {
        try number.isMultiple(of: 2) ? Packed.zstd(content) : Packed.gzip(content)
      }
      var content = try Packed.unpack(scratch.bytes("day/logs/" + name))
      // A byte order mark behind other lines does not count as one.
      if content.starts(with: [0xEF, 0xBB, 0xBF]) { content.removeFirst(3) }
      let lines = content.split(separator: 10, omittingEmptySubsequences: false)
      let blank = (0..<4000).map { index -> UInt8 in
        index % 80 == 79 ? 10 : Bool.random(using: &random) ? 9 : 32
      }
      var bytes = try pack(blank)
      bytes[bytes.count / 2] ^= 0xFF
      for start in stride(from: 0, to: lines.count, by: 20) {
        let part = lines[start..<min(start + 20, lines.count)]
        bytes += try pack(
          Array(part.joined(separator: [10])) + (start + 20 < lines.count ? [10] : []))
      }
      try FileManager.default.removeItem(atPath: folder + "/" + name)
      let stem = String(name.prefix { $0 != "." })
      try scratch.write(
        "day/logs/" + stem + (number.isMultiple(of: 2) ? ".jsonl.zst" : ".jsonl.gz"), bytes)
    }
  }
}
