import Foundation
import TestSupport
import Testing

/// An audit by stages in a forged day, whose rows are shuffled as an engine would do it.
struct StagePlay {
  let day: ForgedDay
  var flags: [String] = []
  /// How many children read inputs, and how many judge keys and hashes.
  var parts = 3

  private var scratch: Scratch { day.scratch }

  /// The settings of every stage.
  private var settings: [String] { ["--pipeline", "day/pipeline.yaml", "--quiet"] + flags }

  /// What a stage came to.
  struct Outcome {
    var status: Int32
    var errors: String
    var output: [UInt8]
    /// Nil of a stream that is not whole.
    var stream: RowStream? { RowStream(output) }
  }

  /// Runs a stage on the bytes of a stream.
  func run(_ stage: String, _ input: [UInt8], _ more: [String] = []) throws -> Outcome {
    let output = "output-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: "\(scratch.path)/\(output)") }
    let outcome = try Program.run(
      ["stage", stage] + settings + more, in: scratch.path, shell: "exec \"$@\" >\(output)",
      input: input)
    return Outcome(
      status: outcome.status, errors: outcome.errors, output: try scratch.bytes(output))
  }

  /// Runs a stage that is to succeed.
  func stream(_ stage: String, _ input: RowStream?) throws -> RowStream {
    let outcome = try run(stage, input?.bytes() ?? [])
    #expect(outcome.status == 0, "\(stage): \(outcome.errors)")
    return try #require(outcome.stream, "\(stage)")
  }

  /// The sources of the day, and the rows that reading them gives.
  func mapped() throws -> (sources: RowStream, rows: [[UInt8]]) {
    let sources = try stream("plan", nil)
    var rows: [[UInt8]] = []
    for part in 0..<parts {
      let mine = sources.rows.indices.filter { $0 % parts == part }.map { sources.rows[$0] }
      guard !mine.isEmpty else { continue }
      rows += try stream("map", RowStream(header: sources.header, rows: mine)).rows
    }
    return (sources, rows)
  }

  /// The parts of a shuffle: rows that begin with the same 33 bytes stand together, in order.
  func shuffled(_ rows: [[UInt8]]) -> [[[UInt8]]] {
    var all = [[[UInt8]]](repeating: [], count: parts)
    for row in rows {
      let place = row.prefix(33).reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % parts
      all[place].append(row)
    }
    return all.filter { !$0.isEmpty }.map { $0.sorted { $0.lexicographicallyPrecedes($1) } }
  }

  /// The stages between reading and the report.
  static func stages(_ sources: RowStream) -> [String] {
    (sources.header[12] == 1 ? ["devices"] : []) + ["keys", "hashes"]
  }

  /// Returns what a stage is fed with: sources, and rows in order.
  static func input(_ sources: RowStream, _ rows: [[UInt8]]) -> RowStream {
    RowStream(
      header: sources.header,
      rows: sources.rows + rows.sorted { $0.lexicographicallyPrecedes($1) })
  }

  /// Plays all stages; the report goes to the folder `staged`. Returns the status.
  func play() throws -> Int32 {
    var (sources, rows) = try mapped()
    for stage in Self.stages(sources) {
      rows = try shuffled(rows).flatMap { part in
        try stream(stage, RowStream(header: sources.header, rows: sources.rows + part)).rows
      }
    }
    let outcome = try run("report", Self.input(sources, rows).bytes(), ["--out", "staged"])
    #expect(outcome.output.isEmpty)
    return outcome.status
  }

  /// Expects the report in `staged` to be that of one machine, which lies in `report`.
  func expectSame(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let (one, many) = (scratch.report(), scratch.report("staged"))
    #expect(try one.names == many.names, sourceLocation: sourceLocation)
    // The manifest has the digest of the summary, and that the time.
    for name in try one.names where name != "summary.json" && name != "manifest.json" {
      #expect(
        try one.bytes(name) == many.bytes(name), "\(name)", sourceLocation: sourceLocation)
    }
    let totals = try [one, many].map { report in
      var summary = try #require(
        try JSONSerialization.jsonObject(with: Data(report.bytes("summary.json")))
          as? [String: Any])
      summary["run"] = nil
      return try JSONSerialization.data(withJSONObject: summary, options: .sortedKeys)
    }
    #expect(totals[0] == totals[1], sourceLocation: sourceLocation)
  }
}
