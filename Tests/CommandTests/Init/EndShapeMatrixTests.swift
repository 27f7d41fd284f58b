import Foundation
import TestSupport
import Testing

/// One day of requests in every shape that `testdata/shapes/make` writes: `init` finds out how each is
/// written, and an audit by what it found reads it whole; or the message says what to do.
///
/// `ATTEST_AUDIT_SHAPES=all` audits in every shape, and not in every second one, and plays attacks in every shape, and not
/// in every eighth one.
struct EndShapeMatrixTests {
  /// The shapes are shared out among so many tests, which run beside each other.
  private static let parts = 4

  private static let playsAll =
    ProcessInfo.processInfo.environment["ATTEST_AUDIT_SHAPES"] == "all"

  private static let clean = made { try ShapedDay(["--clean"]) }
  private static let attacked = made { try ShapedDay(["--attacks", "all,-record,-stream"]) }

  /// The codes of the attacks, by the lines whose times are cut to seconds: there the known schema
  /// finds as much in the log's own form.
  private static let expected: [String: [String]] = made {
    let truth = try attacked.day.expected().compactMap { $0.split(separator: " ").first }
    #expect(truth.count > 40)
    return [
      "none": truth.map(String.init).sorted(),
      "all": try attacked.codes("cut-all", schema: "schema: device-integrity"),
      "half": try attacked.codes("cut-half", schema: "schema: device-integrity"),
    ]
  }

  private func isChecked(_ number: Int, _ part: Int) -> Bool {
    Self.playsAll || number % (2 * Self.parts) == part
  }

  @Test(arguments: 0..<parts)
  func `a clean day is read whole in every shape, or the message says what to do`(_ part: Int)
    throws
  {
    let day = Self.clean
    let shapes = day.shapes.enumerated().filter { $0.offset % Self.parts == part }
    for (number, shape) in shapes.map(\.element).enumerated() {
      if shape.what == "whole" {
        try day.findWhole(shape)
        if isChecked(number, part) { try day.check(shape) }
        if Self.playsAll || number.isMultiple(of: 2) { try day.expectClean(shape.name) }
      } else {
        try day.expectHelp(shape, day.find("shapes/\(shape.name)/log", shape.name))
      }
    }
  }

  @Test(arguments: 0..<parts)
  func `in a shape the attacks of a day are found, and nothing else`(_ part: Int) throws {
    let day = Self.attacked
    let whole = day.shapes.enumerated().filter { $0.offset % Self.parts == part }
      .map(\.element).filter { $0.what == "whole" }
    for (number, shape) in whole.enumerated() where isChecked(number, part) {
      try day.findWhole(shape)
      let text = try day.scratch.text("\(shape.name).yaml")
      let schema = try #require(
        text.firstMatch(of: /\n(schema:\n(?:.|\n)*?)(?:\n# Lines of the log|$)/)
      ).1
      let codes = try day.codes(shape.name, schema: String(schema))
      #expect(codes == Self.expected[shape.cut], "\(shape.name)")
    }
  }
}

/// A forged day in one file, in all shapes.
private struct ShapedDay {
  /// A shape, as the script tells of it.
  struct Shape {
    var name: String
    /// `whole`, or a part of the message that helps.
    var what: String
    /// The lines whose times are cut to seconds: `none`, `all` or `half`.
    var cut: String
  }

  /// The screen that `init` tells of any shape on: rows and columns, wrapped lines counted.
  private static let rows = 70
  private static let columns = 120

  let day: ForgedDay
  let shapes: [Shape]

  var scratch: Scratch { day.scratch }

  init(_ flags: [String]) throws {
    day = ForgedDay()
    try day.forge(
      [
        "--schema", "device-integrity", "--seed", "5", "--keys", "6", "--assertions", "50",
        "--files", "1",
      ] + flags)
    let scratch = day.scratch
    try scratch.makeFolder("shapes")
    let log = try #require(try scratch.contents("day/logs").first)
    let made = try Program.run(
      [], in: scratch.path, environment: ["LOG": "day/logs/" + log, "ROOT": Repository.root],
      shell: """
        case $LOG in *.zst) zstd -dqc "$LOG";; *.gz) gzip -dc "$LOG";; *) cat "$LOG";; esac > log
        exec "$ROOT/testdata/shapes/make" log shapes
        """)
    #expect(made.status == 0, "\(made.errors)")
    shapes = try scratch.text("shapes/shapes.tsv").split(separator: "\n").map { line in
      let parts = line.split(separator: "\t").map(String.init)
      return Shape(name: parts[0], what: parts[1], cut: parts[2])
    }
    #expect(shapes.count >= 130)
    #expect(shapes.count { $0.what == "whole" } >= 110)
  }

  func find(_ input: String, _ name: String, shell: String? = nil) throws
    -> Program.Outcome
  {
    try Program.run(
      [
        "init", input, "--out", "\(name).yaml", "--trust-anchor",
        "day/anchors/synthetic-attestation-root.pem", "--receipt-anchor",
        "day/anchors/synthetic-receipt-root.pem",
      ], in: scratch.path, shell: shell)
  }

  /// Finds out how a shape is written, in so long, and tells it on one screen.
  func findWhole(_ shape: Shape) throws {
    let clock = ContinuousClock()
    let start = clock.now
    let found = try find("shapes/\(shape.name)/log", shape.name)
    // Five seconds are promised of the optimized program on an idle machine.
    #expect(clock.now - start < .seconds(60), "\(shape.name)")
    #expect(found.status == 0, "\(shape.name): \(found.errors)\(found.output)")
    let rows = found.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .reduce(0) { $0 + max(1, ($1.count + Self.columns - 1) / Self.columns) }
    #expect(rows <= Self.rows, "\(shape.name): \(rows) rows")
  }

  func check(_ shape: Shape) throws {
    let check = try Program.run(["check", "\(shape.name).yaml", "--run-tests"], in: scratch.path)
    #expect(check.status == 0, "\(shape.name): \(check.errors)")
  }

  /// Audits by the pipeline file that was found, with a maximum age for the day's old attestations,
  /// and with all apps and environments, of which the file has those that most records need.
  func expectClean(
    _ name: String, input: [String] = [], shell: String? = nil
  ) throws {
    let audit = try Program.run(
      ["audit"] + input + [
        "--pipeline", "\(name).yaml", "--out", "\(name)-report", "--attestation-max-age", "2d",
        "--fail-on", "info", "--quiet", "--environment", "any",
        "--app-id", "SYNTH00001.com.example.synthetic.bank",
        "--app-id", "SYNTH00002.org.example.synthetic.game",
      ], in: scratch.path, shell: shell)
    #expect(audit == Program.Outcome(status: 0, output: "", errors: ""), "\(name)")
    let records = try scratch.report("\(name)-report").summary.records
    // A line with several records counts as its first one.
    let isLine = records["items"] == 0
    #expect(records["attestations"] == 6 || !isLine, "\(name): \(records)")
    #expect(records["assertions"] == 50 || !isLine, "\(name): \(records)")
    #expect(records["notAudited"] == 0 && records["unreadable"] == 0, "\(name): \(records)")
  }

  /// Checks that the command in front of `| attest-audit init -` in a message makes lines that are
  /// read whole, where its tool is installed.
  func expectHelp(_ shape: Shape, _ found: Program.Outcome) throws {
    let said = found.errors + found.output.replacing(#/\n {2,}/#, with: " ")
    #expect(found.status != 0 && said.contains(shape.what), "\(shape.name): \(found)")
    let named = said.firstMatch(
      of: #/[:;] (?<command>(?:jq|awk|sed|xz|bzip2|lz4|iconv) .*) \| attest-audit init -/#)
    guard let help = named else {
      let isBeyond = ["bytes that were signed are lost", "duckdb"].contains(shape.what)
      return #expect(isBeyond, "\(shape.name): \(said)")
    }
    let command = String(help.command)
    let tool = String(command.prefix { $0 != " " })
    guard try Program.run([], in: "/", shell: "command -v \(tool) >/dev/null").status == 0 else {
      return print("\(tool) is not installed: \(shape.name) is not tried")
    }
    let name = shape.name + "-helped"
    let helped = try find("-", name, shell: command + " | \"$@\"")
    #expect(helped.status == 0, "\(shape.name): \(helped.errors)\(helped.output)")
    try expectClean(name, input: ["-"], shell: command + " | \"$@\"")
  }

  /// Returns the codes that an audit of a shape finds, with the day's own settings and a schema.
  func codes(_ name: String, schema: String) throws -> [String] {
    let pipeline = try scratch.text("day/pipeline.yaml")
    try scratch.write(
      "day/\(name).yaml",
      pipeline.replacing("inputs: [logs/]", with: "inputs: [../shapes/\(name)/log]")
        .replacing("schema: device-integrity", with: schema))
    let audit = try Program.run(
      [
        "audit", "--pipeline", "day/\(name).yaml", "--out", "\(name)-report", "--overwrite",
        "--quiet",
      ],
      in: scratch.path)
    #expect(audit.status == 1 && audit.errors == "", "\(name): \(audit.errors)")
    return try scratch.report("\(name)-report").findingRows.compactMap { $0["code"] }.sorted()
  }
}
