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

  @Test func `damaged findings are refused`() throws {
    let lines = try Self.text("testdata/golden/findings.jsonl").split(separator: "\n")
    let reject = try #require(lines.first { $0.contains("record.bad_encoding") })
    let stream = try #require(lines.first { $0.contains("stream.corrupt") })
    let repeated = try #require(lines.first { $0.contains("\"counter.repeated\"") })
    var damaged: [[String: Any]] = []
    let whole = try Self.object(String(repeated))
    for name in whole.keys.sorted() {
      var row = whole
      row[name] = nil
      damaged.append(row)
    }
    for (name, value) in [
      ("severity", "grave"), ("code", "counter.odd"), ("time", "2026-03-01"), ("time", 1),
      ("kind", "other"), ("key_id", "ABCD"), ("key_id", NSNull()), ("key_id_base64", "AA=="),
      ("key_id_base64", NSNull()), ("app_id", ""), ("client_data_hash", "00ff"),
      ("client_data_hash", "xyz"), ("counter", -1), ("counter", 4_294_967_296), ("counter", "7"),
      ("expected", 1.5), ("source", NSNull()), ("source", ""), ("line", 0), ("line", -1),
      ("related_line", NSNull()), ("count", 0), ("request_id", 17), ("decision", "ok"),
      ("detail", NSNull()), ("fingerprint", "00"), ("fingerprint", "E69190F89CAE4B6E"),
      ("time", NSNull()), ("more", 1),
    ] as [(String, Any)] {
      var row = whole
      row[name] = value
      damaged.append(row)
    }
    for (text, name, value) in [
      (reject, "time", "2026-03-01T00:00:00.000Z"), (reject, "kind", "assertion"),
      (reject, "line", 0), (stream, "line", 3), (stream, "decision", "accepted"),
    ] as [(Substring, String, Any)] {
      var row = try Self.object(String(text))
      row[name] = value
      damaged.append(row)
    }
    try Self.expectRefused(try damaged.map { Job("finding", .json, try Self.json($0)) })
    try Self.expectValid([Job("finding", .json, try Self.json(whole))])
  }

  @Test func `a damaged summary is refused`() throws {
    let whole = try Self.object(Self.forged.report.text("summary.json"))
    var damaged = whole.keys.sorted().map { name in
      var summary = whole
      summary[name] = nil
      return summary
    }
    for (path, value) in [
      (["schemaVersion"], 2), (["more"], 1), (["tool", "name"], "other"), (["run", "more"], 1),
      (["run", "id"], "x"), (["run", "verifier"], "none"), (["run", "seconds"], -1),
      (["run", "startedAt"], "today"), (["run", "signatures", "batch"], -1),
      (["run", "signatures", "more"], 1), (["records", "lines"], "12"),
      (["records", "blank"], NSNull()), (["records", "more"], 1), (["verdicts", "valid"], 1.5),
      (["keys", "lost"], 1), (["findings", "total"], -1), (["findings", "bySeverity", "grave"], 1),
      (["findings", "byCode", "counter.odd"], 1), (["findings", "byCode", "counter.gap"], 0),
      (["inputs"], [["source": "a"]]), (["inputs"], [String: Any]()),
    ] as [([String], Any)] {
      damaged.append(Self.set(value, at: path[...], in: whole))
    }
    try Self.expectRefused(try damaged.map { Job("summary", .json, try Self.json($0)) })
  }

  /// Returns the summary of a report as a state adds to it.
  private static func stateSummary() throws -> [String: Any] {
    var summary = try object(Self.forged.report.text("summary.json"))
    let counts = Dictionary(uniqueKeysWithValues: Severity.allCases.map { ($0.name, 0) })
    let key = String(repeating: "0a", count: 32)
    summary = set(3, at: ["findings", "new"], in: summary)
    summary = set(counts, at: ["findings", "newBySeverity"], in: summary)
    summary = set(1, at: ["findings", "accepted"], in: summary)
    summary["accepted"] = [
      [
        "fingerprint": "00000000000000ab", "severity": "low", "reason": "a test",
        "expires": "2026-12-31", "count": 0, "moreSevere": 2,
      ],
      [
        "code": "counter.gap", "key_id": key, "severity": "critical", "reason": "a test",
        "expires": "2026-12-31", "count": 1, "moreSevere": 0,
      ],
    ]
    summary["state"] = [
      "mode": "advance", "runs": 1, "keys": 2, "rememberedHashes": 3, "waiting": 4,
      "closed": [
        [
          "code": "key.unknown", "key_id": key, "fingerprint": "00000000000000ab",
          "first_seen": "2026-11-20",
        ]
      ], "closedCount": 1,
    ]
    return summary
  }

  @Test func `a damaged summary of a run with a state is refused`() throws {
    let whole = try Self.stateSummary()
    var damaged: [[String: Any]] = []
    for path in [
      ["accepted"], ["findings", "new"], ["findings", "newBySeverity"], ["findings", "accepted"],
      ["state", "mode"], ["state", "runs"], ["state", "keys"], ["state", "rememberedHashes"],
      ["state", "waiting"], ["state", "closed"], ["state", "closedCount"], ["state"],
    ] {
      damaged.append(Self.removing(at: path[...], in: whole))
    }
    let accepted = try #require(whole["accepted"] as? [[String: Any]])
    let state = try #require(whole["state"] as? [String: Any])
    let closed = try #require((state["closed"] as? [[String: Any]])?.first)
    for (name, value) in [
      ("fingerprint", nil), ("fingerprint", "AB"), ("reason", nil), ("reason", ""),
      ("expires", nil), ("expires", "soon"), ("severity", nil), ("moreSevere", nil), ("count", nil),
      ("count", -1), ("more", 1),
      ("key_id", accepted[1]["key_id"]), ("code", "counter.gap"),
    ] as [(String, Any?)] {
      var entry = accepted[0]
      entry[name] = value
      damaged.append(Self.set([entry], at: ["accepted"], in: whole))
    }
    for (name, value) in [("code", nil), ("code", "odd"), ("app_id", "A.b"), ("key_id", "AA==")]
      as [(String, Any?)]
    {
      var entry = accepted[1]
      entry[name] = value
      damaged.append(Self.set([entry], at: ["accepted"], in: whole))
    }
    for (name, value) in [
      ("code", "counter.gap"), ("key_id", nil), ("fingerprint", 7), ("first_seen", "yesterday"),
      ("first_seen", nil), ("more", 1),
    ] as [(String, Any?)] {
      var entry = closed
      entry[name] = value
      damaged.append(Self.set([entry], at: ["state", "closed"], in: whole))
    }
    for (path, value) in [
      (["state", "mode"], "none"), (["state", "runs"], -1), (["state", "more"], 1),
      (["state", "closed"], Array(repeating: closed, count: 1001)), (["findings", "new"], -1),
      (["findings", "newBySeverity"], ["high": 1]), (["findings", "accepted"], "1"),
    ] as [([String], Any)] {
      damaged.append(Self.set(value, at: path[...], in: whole))
    }
    try Self.expectRefused(try damaged.map { Job("summary", .json, try Self.json($0)) })
    var known = try #require(whole["inputs"] as? [[String: Any]])
    known[0]["status"] = "known"
    known[1]["status"] = "waiting"
    try Self.expectValid([
      Job("summary", .json, try Self.json(whole)),
      Job("summary", .json, try Self.json(Self.set(known, at: ["inputs"], in: whole))),
    ])
  }

  @Test func `a finding of a run with a state has both keys more, or none`() throws {
    let line = try #require(
      Self.text("testdata/golden/findings.jsonl").split(separator: "\n").first)
    let plain = try Self.object(String(line))
    func job(_ more: [String: Any]) throws -> Job {
      Job("finding", .json, try Self.json(plain.merging(more) { $1 }))
    }
    try Self.expectValid([
      job([:]), job(["first_seen": "2026-11-20", "times_seen": 1]),
      job(["first_seen": "2026-11-20", "times_seen": 4_000_000_000]),
    ])
    try Self.expectRefused([
      job(["first_seen": "2026-11-20"]), job(["times_seen": 1]),
      job(["first_seen": "20 November", "times_seen": 1]),
      job(["first_seen": NSNull(), "times_seen": 1]),
      job(["first_seen": "2026-11-20", "times_seen": 0]),
      job(["first_seen": "2026-11-20", "times_seen": "1"]),
    ])
  }

  // MARK: JSON

  private static func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private static func json(_ object: [String: Any]) throws -> String {
    String(
      decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys),
      as: UTF8.self)
  }

  private static func set(
    _ value: Any, at path: ArraySlice<String>, in object: [String: Any]
  ) -> [String: Any] {
    var object = object
    guard let name = path.first else { return object }
    let rest = path.dropFirst()
    object[name] =
      rest.isEmpty ? value : set(value, at: rest, in: object[name] as? [String: Any] ?? [:])
    return object
  }

  private static func removing(
    at path: ArraySlice<String>, in object: [String: Any]
  ) -> [String: Any] {
    var object = object
    guard let name = path.first else { return object }
    let rest = path.dropFirst()
    object[name] =
      rest.isEmpty ? nil : removing(at: rest, in: object[name] as? [String: Any] ?? [:])
    return object
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
