import Foundation
import TestSupport
import Testing

/// `init` on a log of each known system, given nothing but the log and the anchors.
struct EndInitTests {
  /// A forged log of a system, with attacks: made once for all tests.
  final class Forged: Sendable {
    let scratch: Scratch
    let name: String
    let outcome: Program.Outcome

    init(_ name: String) throws {
      scratch = try Scratch()
      self.name = name
      var arguments = [
        "--schema", name, "--attacks", "all,-record.not_audited", "--keys", "20", "--assertions",
        "200", "--seed", "23", "--out", "day",
      ]
      if ["default", "swiftui"].contains(name) { arguments.append("--challenge-records") }
      let forged = try Program.forge(arguments, in: scratch.path)
      #expect(forged.status == 0, "\(forged.errors)")
      // No line of that log names its apps, and a file without an app is not valid.
      let apps = name == "capgo" ? everyApp.prefix(4) : []
      outcome = try Program.run(
        [
          "init", "day/logs", "--out", "init.yaml", "--trust-anchor", Self.anchor,
          "--receipt-anchor", Self.receiptAnchor,
        ] + apps, in: scratch.path)
    }

    static let anchor = "day/anchors/synthetic-attestation-root.pem"
    static let receiptAnchor = "day/anchors/synthetic-receipt-root.pem"

    var pipeline: String {
      get throws { try scratch.text("init.yaml") }
    }
  }

  private static let forged = made {
    Dictionary(uniqueKeysWithValues: try systems.map { ($0, try Forged($0)) })
  }

  private static let systems = [
    "default", "capgo", "device-integrity", "swiftui", "header-assertion",
  ]

  /// The flags of an audit with both apps of the synthetic authority, whatever a log's records
  /// need.
  static let everyApp = [
    "--app-id", "SYNTH00001.com.example.synthetic.bank", "--app-id",
    "SYNTH00002.org.example.synthetic.game", "--environment", "any",
  ]

  private static func forged(_ name: String) throws -> Forged { try #require(forged[name]) }

  // MARK: The systems

  @Test(arguments: systems)
  func `the file that is written passes the check, its tests, and the JSON Schema`(
    _ name: String
  ) throws {
    let forged = try Self.forged(name)
    let verdicts = try JSONSchemas.judge([.init("pipeline", .yaml, forged.pipeline)])
    #expect(verdicts.map(\.documents) == [1] && verdicts.flatMap(\.errors) == [])
    // Attackers' lines of which no record can be made are lines with tokens that are not read.
    #expect(forged.outcome.status < 2)
    let check = try Program.run(["check", "init.yaml", "--run-tests"], in: forged.scratch.path)
    #expect(check.status == 0, "\(check.errors)")
    let passed = try #require(check.output.firstMatch(of: #/tests +(\d+) passed/#))
    #expect(try #require(Int(passed.1)) >= 4)
  }

  @Test(arguments: systems)
  func `the file that is written finds what the system's own schema finds`(
    _ name: String
  ) throws {
    let forged = try Self.forged(name)
    let policy =
      [
        "--retry-tolerance", "2s", "--counter-gap", "1000", "--challenge-ttl", "5m", "--quiet",
        "--verdicts",
      ] + Self.everyApp
    let found = try Program.run(
      ["audit", "--pipeline", "init.yaml", "--out", "found"] + policy, in: forged.scratch.path)
    let own = try Program.run(
      [
        "audit", "day/logs", "--schema", forged.name, "--out", "own", "--trust-anchor",
        Forged.anchor,
        "--receipt-anchor", Forged.receiptAnchor,
      ] + policy, in: forged.scratch.path)
    #expect(found.status == own.status, "\(found.errors)")
    let (foundReport, ownReport) = (forged.scratch.report("found"), forged.scratch.report("own"))
    let expected = try Self.findings(ownReport)
    let findings = try Self.findings(foundReport)
    #expect(expected.count > 40)
    // A token on a route that the system's schema does not know is audited here, and only told
    // there; a route without a token is nothing here, and so is a field that nobody examines.
    let (skippedHere, skippedThere) = (
      try Self.lines(of: foundReport, "skipped"), try Self.lines(of: ownReport, "skipped")
    )
    let rejectedThere = try Self.lines(of: ownReport, "unreadable")
    let missed = expected.filter { !findings.contains($0) }
    #expect(
      missed.allSatisfy { row in
        switch row["code"] {
        case "record.not_audited": true
        case "record.missing_field": skippedHere.contains(Self.place(row))
        default:
          rejectedThere.contains(Self.place(row)) && !skippedHere.contains(Self.place(row))
        }
      }, "\(missed)")
    let more = findings.filter { !expected.contains($0) }
    #expect(
      more.allSatisfy { row in
        row["code"] == "record.not_audited" || skippedThere.contains(Self.place(row))
          || rejectedThere.contains(Self.place(row))
      }, "\(more)")
    #expect(missed.count <= 3 && more.count <= 5)
    guard missed.isEmpty, more.isEmpty else { return }
    #expect(try foundReport.text("keys.csv") == ownReport.text("keys.csv"))
    // Sentences name the pointers, which only one of the schemas has.
    func verdicts(_ report: ReportFolder) throws -> [[String: String]] {
      try report.verdictRows.map { row in row.filter { !["detail", "route"].contains($0.key) } }
    }
    #expect(try verdicts(foundReport) == verdicts(ownReport))
  }

  /// The rows of findings, without the pointers that reasons name, without the route, which `init`
  /// does not look for, and without the first of several fields of the wrong type.
  private static func findings(_ report: ReportFolder) throws -> [[String: String]] {
    try report.findingRows.map { row in
      var row = row
      row["detail"] = row["detail"]?.replacing(#/ \([^)]*\)/#, with: "")
        .replacing(#/The field \w+ has the wrong type\./#, with: "A field has the wrong type.")
      row["route"] = nil
      return row
    }
  }

  private static func place(_ row: [String: String]) -> String {
    "\(row["source"] ?? ""):\(row["line"] ?? "")"
  }

  /// The lines of a report's audit with a verdict.
  private static func lines(
    of report: ReportFolder, _ verdict: String
  ) throws -> Set<String> {
    Set(try report.verdictRows.filter { $0["verdict"] == verdict }.map(place))
  }

  @Test(arguments: TextCase.read("init-places"))
  func `everything is found where it is`(_ one: TextCase) throws {
    #expect(try Self.forged(one.text).pipeline.contains(one.message))
  }
}
