import Foundation
import TestSupport
import Testing

/// A folder in which the built program forges a day and audits it.
struct ForgedDay {
  let scratch = made { try Scratch() }

  private struct Truth: Decodable {
    var code: String
    var source: String
    var line: Int
  }

  /// Returns the seeds of a test, which `ATTEST_AUDIT_SEEDS` makes more.
  static func seeds(_ usual: Int) -> ClosedRange<Int> {
    let asked = ProcessInfo.processInfo.environment["ATTEST_AUDIT_SEEDS"].flatMap { Int($0) }
    return 1...max(usual, asked ?? 0)
  }

  /// Forges into the folder `day`, in place of what lies there.
  func forge(_ flags: [String]) throws {
    try? FileManager.default.removeItem(atPath: scratch.path + "/day")
    let outcome = try Program.forge(["--out", "day"] + flags, in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors == "")
    #expect(outcome.output.contains("synthetic"))
  }

  /// Logs requests of a file once more, with the other decision about each.
  func logDecisions(of file: String, again copy: String) throws {
    let outcome = try Program.run(
      [], in: scratch.path, environment: ["LOG": file, "COPY": copy],
      shell: #"""
        case $LOG in *.zst) zstd -dqc "$LOG";; *.gz) gzip -dc "$LOG";; *) cat "$LOG";; esac |
        sed -n 's/\("decision": *\)"accepted"/\1"REJECTED"/; s/"rejected"/"accepted"/
          s/REJECTED/rejected/; /"decision"/p' > "$COPY"
        """#)
    #expect(outcome == Program.Outcome(status: 0, output: "", errors: ""))
    #expect(try scratch.bytes(copy).count > 10_000)
  }

  /// Audits into the folder `report`, in place of what lies there.
  func audit(_ pipeline: String = "day/pipeline.yaml", _ flags: String...) throws
    -> Program.Outcome
  {
    try? FileManager.default.removeItem(atPath: scratch.path + "/report")
    return try Program.run(
      ["audit", "--pipeline", pipeline, "--out", "report"] + flags, in: scratch.path)
  }

  /// Returns the lines of the truth of a forged folder, sorted: `code file:line`.
  func expected(_ folder: String? = nil) throws -> [String] {
    let path = (folder ?? scratch.path + "/day") + "/truth.jsonl"
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      let row = try JSONDecoder().decode(Truth.self, from: Data(line.utf8))
      return "\(row.code) \(row.source.split(separator: "/").last ?? ""):\(row.line)"
    }.sorted()
  }

  func expectedCodes() throws -> Set<Substring> {
    Set(try expected().compactMap { $0.split(separator: " ").first })
  }

  /// Returns the rows of `findings.csv`, sorted, in the form of ``expected(_:)``.
  private func found() throws -> [String] {
    try scratch.report().findingRows.map { row in
      "\(row["code"] ?? "") \(row["source"]?.split(separator: "/").last ?? ""):\(row["line"] ?? "")"
    }.sorted()
  }

  /// Expects the report to say what the truth says, no more and no less.
  func expectTruth(
    _ folder: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let (expected, found) = (try expected(folder), try found())
    #expect(
      Set(expected).subtracting(found).sorted() == [], "missing", sourceLocation: sourceLocation)
    #expect(
      Set(found).subtracting(expected).sorted() == [], "extra", sourceLocation: sourceLocation)
    #expect(found == expected, sourceLocation: sourceLocation)
    #expect(
      try scratch.report().summary.findings.total == expected.count,
      sourceLocation: sourceLocation)
  }

  /// Audits the day and expects silence.
  func expectSilence(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try expected() == [], sourceLocation: sourceLocation)
    #expect(
      try audit("day/pipeline.yaml", "--fail-on", "info")
        == Program.Outcome(status: 0, output: "", errors: ""), sourceLocation: sourceLocation)
    #expect(try scratch.report().findingRows.isEmpty, sourceLocation: sourceLocation)
    #expect(try scratch.report().bytes("rejects.jsonl").isEmpty, sourceLocation: sourceLocation)
    let summary = try scratch.report().summary
    #expect(summary.findings.total == 0, sourceLocation: sourceLocation)
    #expect(summary.verdicts["failed"] == 0, sourceLocation: sourceLocation)
    #expect(summary.verdicts["unverifiable"] == 0, sourceLocation: sourceLocation)
    #expect(summary.records["notAudited"] == 0, sourceLocation: sourceLocation)
  }
}
