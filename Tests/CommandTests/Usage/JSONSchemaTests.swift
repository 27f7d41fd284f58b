import AuditEngine
import Foundation
import TestSupport
import Testing

/// The JSON Schemas of `pipelines/schemas/json/`: everything that comes along and every report meets
/// them, and damaged variants do not.
struct JSONSchemaTests {
  typealias Job = JSONSchemas.Job

  static func text(_ path: String) throws -> String {
    String(
      decoding: try Data(contentsOf: URL(filePath: "\(Repository.root)/\(path)")), as: UTF8.self)
  }

  /// Returns the files of a folder whose names end so, with the folder. Returns no files where
  /// there is no folder.
  static func files(_ folder: String, _ suffix: String) -> [String] {
    let path = "\(Repository.root)/\(folder)"
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
      .filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }
  }

  /// A report on the forged day in `testdata/`, made here.
  private static let forged: (report: ReportFolder, scratch: Scratch) = made {
    let scratch = try Scratch()
    _ = try Program.run(
      ["audit", "--pipeline", "testdata/pipeline.yaml", "--out", scratch.path + "/report"],
      in: Repository.root)
    return (scratch.report(), scratch)
  }

  static func expectValid(
    _ jobs: [Job], count: [Int]? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let verdicts = try JSONSchemas.judge(jobs)
    #expect(verdicts.count == jobs.count, sourceLocation: sourceLocation)
    for (job, verdict) in zip(jobs, verdicts) {
      #expect(
        verdict.errors == [], "\(job.schema): \(job.text.prefix(200))",
        sourceLocation: sourceLocation)
      #expect(verdict.documents > 0, sourceLocation: sourceLocation)
    }
    if let count { #expect(verdicts.map(\.documents) == count, sourceLocation: sourceLocation) }
  }

  /// Expects every one of the documents to be refused.
  static func expectRefused(
    _ jobs: [Job], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for (job, verdict) in zip(jobs, try JSONSchemas.judge(jobs)) {
      #expect(verdict.documents == 1, sourceLocation: sourceLocation)
      #expect(!verdict.errors.isEmpty, "\(job.text)", sourceLocation: sourceLocation)
    }
  }

  // MARK: Reports

  @Test func `the golden findings are valid, as JSON Lines and as CSV`() throws {
    let rows = try CSVTable.rows(Array(Self.text("testdata/golden/findings.csv").utf8))
    let fromCSV = try rows.map { try Self.json(Self.finding($0)) }.joined(separator: "\n")
    let golden = try Self.text("testdata/golden/findings.jsonl")
    try Self.expectValid(
      [Job("finding", .jsonl, golden), Job("finding", .jsonl, fromCSV)],
      count: [rows.count, rows.count])
    #expect(rows.count > 60)
  }

  @Test func `the golden summary is valid with the run of a report`() throws {
    var golden = try Self.object(Self.text("testdata/golden/summary.json"))
    #expect((golden["run"] as? [String: Any])?.isEmpty == true)
    let made = try Self.forged.report.text("summary.json")
    golden["run"] = try Self.object(made)["run"]
    try Self.expectValid(
      [Job("summary", .json, try Self.json(golden)), Job("summary", .json, made)])
  }

  @Test func `the findings of reports are valid`() throws {
    let audit = try EndAudit()
    let outcome = try audit.run(
      "-", "--challenges", "required", "--counter-gap", "1", "--quiet",
      input: Array("{}\nno JSON\n".utf8))
    #expect(outcome.status == 2)
    let reports = [Self.forged.report, audit.report]
    let counts = try reports.flatMap { [try $0.findingRows.count, 1] }
    #expect(counts[0] > 70 && counts[2] == 2)
    try Self.expectValid(
      try reports.flatMap {
        [
          Job("finding", .jsonl, try $0.text("findings.jsonl")),
          Job("summary", .json, try $0.text("summary.json")),
        ]
      }, count: counts)
  }

  @Test func `the report of a simulation is valid`() throws {
    let scratch = try Scratch()
    let outcome = try Program.run(
      [
        "simulate", "--pipeline", "testdata/pipeline.yaml", "--set", "refuse=medium", "--out",
        scratch.path + "/report",
      ], in: Repository.root)
    #expect(outcome.status == 2)
    let report = scratch.report()
    let rows = try CSVTable.rows(report.bytes("simulation.csv")).count
    try Self.expectValid(
      [
        Job("simulation", .jsonl, try report.text("simulation.jsonl")),
        Job("simulation-summary", .json, try report.text("summary.json")),
      ], count: [rows, 1])
  }

  @Test func `the schemas know every code`() throws {
    let codes = FindingCode.allCases.map(\.name)
    let finding = try Self.object(Self.text("pipelines/schemas/json/finding.schema.json"))
    let code = (finding["properties"] as? [String: Any])?["code"] as? [String: Any]
    #expect(code?["enum"] as? [String] == codes)
    var object: Any = try Self.object(Self.text("pipelines/schemas/json/summary.schema.json"))
    for step in ["properties", "findings", "properties", "byCode", "properties"] {
      object = try #require((object as? [String: Any])?[step])
    }
    #expect((object as? [String: Any])?.keys.sorted() == codes.sorted())
  }

  /// The documents of a report that are damaged, by the names that `report-damages.txt` has for them.
  private static func wholes() throws -> [String: Any] {
    let lines = try text("testdata/golden/findings.jsonl").split(separator: "\n")
    func finding(_ code: String) throws -> Any {
      try object(String(#require(lines.first { $0.contains("\"\(code)\"") })))
    }
    let summary: Any = try object(Self.forged.report.text("summary.json"))
    let repeated = try finding("counter.repeated")
    return try [
      "finding": repeated, "reject": finding("record.bad_encoding"),
      "stream": finding("stream.corrupt"), "summary": summary,
      "finding of a state": ["/first_seen = \"2026-11-20\"", "/times_seen = 4000000000"]
        .reduce(repeated, changed),
      "summary of a state": TextCase.read("state-summary").map(\.message).reduce(summary, changed),
    ]
  }

  private static func job(_ name: String, _ document: Any) throws -> Job {
    Job(name.hasPrefix("summary") ? "summary" : "finding", .json, try json(document))
  }

  @Test func `damaged findings and summaries are refused`() throws {
    let wholes = try Self.wholes()
    try Self.expectValid(try wholes.map(Self.job))
    var damaged = try TextCase.read("report-damages").map {
      try Self.job($0.text, Self.changed(#require(wholes[$0.text]), $0.message))
    }
    for name in ["finding", "summary"] {
      let whole = try #require(wholes[name] as? [String: Any])
      damaged += try whole.keys.map { try Self.job(name, Self.changed(whole, "/" + $0)) }
    }
    #expect(damaged.count > 130)
    try Self.expectRefused(damaged)
  }

  @Test func `of what a state closed as many are told as fit, and inputs may be known`() throws {
    let whole = try #require(try Self.wholes()["summary of a state"])
    let known = try ["/inputs/0/status = \"known\"", "/inputs/1/status = \"waiting\""]
      .reduce(whole, Self.changed)
    try Self.expectValid([Self.job("summary", known)])
    let state = try #require(try Self.object(Self.json(whole))["state"] as? [String: Any])
    let closed = try Self.json(#require((state["closed"] as? [Any])?.first))
    func closing(_ count: Int) throws -> Job {
      let list = repeatElement(closed, count: count).joined(separator: ",")
      return try Self.job("summary", Self.changed(whole, "/state/closed = [\(list)]"))
    }
    try Self.expectValid([closing(1000)])
    try Self.expectRefused([closing(1001)])
  }

  // MARK: JSON

  private static func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private static func json(_ object: Any) throws -> String {
    String(
      decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys),
      as: UTF8.self)
  }

  /// Returns a document with a change: `/path/to/member = JSON`, or a path alone to leave the member out.
  private static func changed(_ document: Any, _ change: String) throws -> Any {
    let parts = change.split(separator: " = ", maxSplits: 1)
    let value = try parts.dropFirst().first.map {
      try JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed)
    }
    return set(value, at: parts[0].split(separator: "/")[...], in: document)
  }

  private static func set(_ value: Any?, at path: ArraySlice<Substring>, in document: Any) -> Any {
    guard let name = path.first else { return value ?? NSNull() }
    let rest = path.dropFirst()
    if var list = document as? [Any], let index = Int(name) {
      list[index] = set(value, at: rest, in: list[index])
      return list
    }
    var members = document as? [String: Any] ?? [:]
    let member = members[String(name)] ?? [String: Any]()
    members[String(name)] = rest.isEmpty ? value : set(value, at: rest, in: member)
    return members
  }

  /// Returns a row of `findings.csv` as `findings.jsonl` has it.
  private static func finding(_ row: [String: String]) -> [String: Any] {
    let numbers = ["counter", "expected", "line", "related_line", "count", "item"]
    var object = row.mapValues { $0.isEmpty ? NSNull() : $0 as Any }
    for name in numbers { object[name] = row[name].flatMap(Int.init) ?? NSNull() }
    let key = stride(from: 0, to: row["key_id"]?.count ?? 0, by: 2).compactMap { offset in
      UInt8(row["key_id"]?.dropFirst(offset).prefix(2) ?? "", radix: 16)
    }
    object["key_id_base64"] = key.isEmpty ? NSNull() : Data(key).base64EncodedString()
    return object
  }
}

/// Pipeline and schema files.
extension JSONSchemaTests {
  @Test func `the pipeline files that come along are valid`() throws {
    let folders = ["pipelines", "testdata"] + Self.files("testdata/schemas", "")
    let files = folders.flatMap { Self.files($0, ".yaml") }
    #expect(files.count >= 4)
    try Self.expectValid(try files.map { Job("pipeline", .yaml, try Self.text($0)) })
  }

  @Test func `the schema files that come along are valid`() throws {
    let files = Self.files("pipelines/schemas", ".yaml")
    #expect(files.count >= 7)
    try Self.expectValid(try files.map { Job("schema", .yaml, try Self.text($0)) })
  }

  @Test func `a pipeline file with all there is is valid`() throws {
    try Self.expectValid([Job("pipeline", .yaml, Self.whole)])
  }

  /// Each piece of text in ``whole`` with one that makes it wrong.
  @Test func `a damaged pipeline file is refused`() throws {
    let damages = TextCase.read("pipeline-damages")
    #expect(try damages.allSatisfy { try Self.whole.contains($0.text) })
    try Self.expectRefused(
      try damages.map {
        Job(
          "pipeline", .yaml,
          try Self.whole.replacing($0.text, with: $0.message, maxReplacements: 1))
      })
  }

  private static var whole: String { get throws { try text("Tests/Cases/whole-pipeline.yaml") } }
}
