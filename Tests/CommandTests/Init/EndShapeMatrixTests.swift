import Foundation
import TestSupport
import Testing

/// One day of requests in every shape that `testdata/shapes/make` writes: `init` finds out how each is
/// written, and an audit by what it found reads it whole; or the message says what to do.
struct EndShapeMatrixTests {
  /// The shapes are shared out among so many tests, which run beside each other.
  private static let parts = 12

  private let day: ForgedDay

  init() throws {
    day = try ForgedDay()
  }

  private var scratch: Scratch { day.scratch }

  /// Forges a day in one file and writes it in all shapes; tells what is to come of each in one part.
  private func makeShapes(_ flags: [String], part: Int) throws -> [(name: String, what: String)] {
    try day.forge(
      [
        "--schema", "device-integrity", "--seed", "5", "--keys", "12", "--assertions", "100",
        "--files", "1",
      ] + flags)
    try scratch.makeFolder("shapes")
    let log = try #require(try scratch.contents("day/logs").first)
    let made = try Program.run(
      [], in: scratch.path, environment: ["LOG": "day/logs/" + log, "ROOT": Repository.root],
      shell: """
        case $LOG in *.zst) zstd -dqc "$LOG";; *.gz) gzip -dc "$LOG";; *) cat "$LOG";; esac > log
        exec "$ROOT/testdata/shapes/make" log shapes
        """)
    #expect(made.status == 0, "\(made.errors)")
    let shapes = String(decoding: try scratch.bytes("shapes/shapes.tsv"), as: UTF8.self)
      .split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    #expect(shapes.count >= 90)
    #expect(shapes.count { $0[1] == "whole" } >= 60)
    return shapes.enumerated().filter { $0.offset % Self.parts == part }
      .map { ($0.element[0], $0.element[1]) }
  }

  private func find(_ name: String) throws -> Program.Outcome {
    try Program.run(
      [
        "init", "shapes/\(name)/log", "--out", "\(name).yaml", "--trust-anchor",
        "day/anchors/synthetic-attestation-root.pem", "--receipt-anchor",
        "day/anchors/synthetic-receipt-root.pem",
      ], in: scratch.path)
  }

  @Test(arguments: 0..<parts)
  func `a clean day is read whole in every shape, or the message says what to do`(_ part: Int)
    throws
  {
    for (name, what) in try makeShapes(["--clean"], part: part) {
      let found = try find(name)
      guard what == "whole" else {
        #expect(found.status != 0, "\(name)")
        #expect((found.errors + found.output).contains(what), "\(name): \(found)")
        continue
      }
      #expect(found.status == 0, "\(name): \(found.errors)\(found.output)")
      #expect(found.output.split(separator: "\n").count <= 45, "\(name)")
      let check = try Program.run(["check", "\(name).yaml", "--run-tests"], in: scratch.path)
      #expect(check.status == 0, "\(name): \(check.errors)")
      let audit = try Program.run(
        [
          "audit", "--pipeline", "\(name).yaml", "--out", "\(name)-report",
          "--attestation-max-age", "2d", "--fail-on", "info", "--quiet",
        ], in: scratch.path)
      #expect(audit == Program.Outcome(status: 0, output: "", errors: ""), "\(name)")
      let records = try scratch.report("\(name)-report").summary.records
      #expect(records["attestations"] == 12 && records["assertions"] == 100, "\(name): \(records)")
      #expect(records["notAudited"] == 0 && records["unreadable"] == 0, "\(name): \(records)")
    }
  }

  /// Shapes whose times are cut to seconds, or of which that time is taken: what comes within one is
  /// not told apart.
  private static let coarse = [
    "clf", "http", "line-lambda", "line-cri-docker-base64", "two-shapes",
  ]

  @Test(arguments: 0..<parts)
  func `in every shape the attacks of a day are found, and nothing else`(_ part: Int) throws {
    let shapes = try makeShapes(["--attacks", "all,-record,-stream"], part: part)
    let expected = try day.expected().compactMap { $0.split(separator: " ").first }.sorted()
    #expect(expected.count > 40)
    let pipeline = String(decoding: try scratch.bytes("day/pipeline.yaml"), as: UTF8.self)
    for (name, what) in shapes
    where what == "whole" && !Self.coarse.contains(where: name.contains) {
      let found = try find(name)
      #expect(found.status == 0, "\(name): \(found.errors)\(found.output)")
      // What the day is known to be, and how `init` found its lines to be written.
      let text = String(decoding: try scratch.bytes("\(name).yaml"), as: UTF8.self)
      let schema = try #require(
        text.firstMatch(of: /\n(schema:\n(?:.|\n)*?)(?:\n# Lines of the log|$)/)
      ).1
      try scratch.write(
        "day/\(name).yaml",
        pipeline.replacing("inputs: [logs/]", with: "inputs: [../shapes/\(name)/log]")
          .replacing("schema: device-integrity", with: schema))
      let audit = try Program.run(
        ["audit", "--pipeline", "day/\(name).yaml", "--out", "\(name)-report", "--quiet"],
        in: scratch.path)
      #expect(audit.status == 1 && audit.errors == "", "\(name): \(audit.errors)")
      let codes = try scratch.report("\(name)-report").findingRows.compactMap { $0["code"] }
      #expect(codes.sorted() == expected.map(String.init), "\(name)")
    }
  }
}
