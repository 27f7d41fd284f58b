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

  init(_ flags: [String] = ["--keys", "12", "--assertions", "200", "--files", "3"]) throws {
    day = try ForgedDay()
    try day.forge(["--attacks", "all", "--seed", "1"] + flags)
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
