import AuditEngine
import Foundation
import TestSupport
import Testing

/// The JSON Schemas of `pipelines/schemas/json/`: everything that comes along and every report meets
/// them, and damaged variants do not. The golden report is the forged one (``GoldenReportTests``), and its
/// two tables say the same (`ColumnsTests`).
struct JSONSchemaTests {
  typealias Job = JSONSchemas.Job

  /// Returns the files of a folder whose names end so, with the folder. Returns no files where
  /// there is no folder.
  private static func files(_ folder: String, _ suffix: String) -> [String] {
    let path = "\(Repository.root)/\(folder)"
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
      .filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }
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
      #expect(
        !verdict.errors.isEmpty, "\(job.changes) \(job.text)", sourceLocation: sourceLocation)
    }
  }

  // MARK: Reports

  @Test func `the findings of reports are valid`() throws {
    let audit = try EndAudit()
    let outcome = try audit.run(
      "-", "--challenges", "required", "--counter-gap", "1", "--quiet",
      input: Array("{}\nno JSON\n".utf8))
    #expect(outcome.status == 2)
    let reports = [ForgedReport.shared.folder, audit.report]
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
    func names(_ schema: String, _ path: [String]) throws -> Any {
      let text = try Repository.text("pipelines/schemas/json/\(schema).schema.json")
      return try path.reduce(try JSONSerialization.jsonObject(with: Data(text.utf8))) {
        try #require(($0 as? [String: Any])?[$1])
      }
    }
    let codes = FindingCode.allCases.map(\.name)
    #expect(try names("finding", ["properties", "code", "enum"]) as? [String] == codes)
    let counts = try names(
      "summary", ["properties", "findings", "properties", "byCode", "properties"])
    #expect((counts as? [String: Any])?.keys.sorted() == codes.sorted())
  }

  /// The documents of a report that are damaged, by the names that `report-damages.txt` has for them.
  private static func wholes() throws -> [String: Job] {
    let report = ForgedReport.shared.folder
    let lines = try report.text("findings.jsonl").split(separator: "\n")
    func finding(_ code: String, changes: [String] = []) throws -> Job {
      let line = try #require(lines.first { $0.contains("\"\(code)\"") })
      return Job("finding", .json, String(line), changes: changes)
    }
    let summary = Job("summary", .json, try report.text("summary.json"))
    var ofState = summary
    ofState.changes = TextCase.read("state-summary").map(\.message)
    return try [
      "finding": finding("counter.repeated"), "reject": finding("record.bad_encoding"),
      "stream": finding("stream.corrupt"), "summary": summary,
      "finding of a state": finding(
        "counter.repeated",
        changes: ["/first_seen = \"2026-11-20\"", "/times_seen = 4000000000"]),
      "summary of a state": ofState,
    ]
  }

  private static func changed(_ job: Job, _ changes: String...) -> Job {
    var job = job
    job.changes += changes
    return job
  }

  @Test func `damaged findings and summaries are refused`() throws {
    let wholes = try Self.wholes()
    try Self.expectValid(Array(wholes.values))
    var damaged = try TextCase.read("report-damages").map {
      Self.changed(try #require(wholes[$0.text]), $0.message)
    }
    for name in ["finding", "summary"] {
      let whole = try #require(wholes[name])
      let object = try JSONSerialization.jsonObject(with: Data(whole.text.utf8))
      let names = try #require(object as? [String: Any]).keys
      damaged += names.map { Self.changed(whole, "/" + $0) }
    }
    #expect(damaged.count > 130)
    try Self.expectRefused(damaged)
  }

  @Test func `of what a state closed as many are told as fit, and inputs may be known`() throws {
    let whole = try #require(try Self.wholes()["summary of a state"])
    try Self.expectValid([
      Self.changed(whole, "/inputs/0/status = \"known\"", "/inputs/1/status = \"waiting\"")
    ])
    let list = try #require(
      whole.changes.first { $0.contains("\"closed\": [") }?.firstMatch(
        of: /"closed": \[(\{.*?\})\]/)
    ).1
    func closing(_ count: Int) -> Job {
      let all = repeatElement(list, count: count).joined(separator: ",")
      return Self.changed(whole, "/state/closed = [\(all)]")
    }
    try Self.expectValid([closing(1000)])
    try Self.expectRefused([closing(1001)])
  }

  // MARK: Pipeline and schema files

  @Test func `the pipeline and schema files that come along are valid`() throws {
    let folders = ["pipelines", "testdata"] + Self.files("testdata/schemas", "")
    let pipelines =
      folders.flatMap { Self.files($0, ".yaml") } + ["Tests/Cases/whole-pipeline.yaml"]
    let schemas = Self.files("pipelines/schemas", ".yaml")
    #expect(pipelines.count >= 5 && schemas.count >= 7)
    try Self.expectValid(
      try pipelines.map { Job("pipeline", .yaml, try Repository.text($0)) }
        + schemas.map { Job("schema", .yaml, try Repository.text($0)) })
  }

  /// Each piece of text in the pipeline file with all there is, with one that makes it wrong.
  @Test func `a damaged pipeline file is refused`() throws {
    let whole = try Repository.text("Tests/Cases/whole-pipeline.yaml")
    let damages = TextCase.read("pipeline-damages")
    #expect(damages.allSatisfy { whole.contains($0.text) })
    try Self.expectRefused(
      damages.map {
        Job(
          "pipeline", .yaml, whole.replacing($0.text, with: $0.message, maxReplacements: 1))
      })
  }
}
