import Foundation
import TestSupport
import Testing

/// `init` on a folder in which several servers log, each in its own shape.
struct EndInitShapeTests {
  private static let schemas = ["device-integrity", "header-assertion", "capgo"]

  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  private func forge(_ schema: String, seed: Int) throws {
    let forged = try Program.forge(
      [
        "--schema", schema, "--clean", "--keys", "12", "--assertions", "100", "--seed",
        String(seed), "--out", schema,
      ], in: scratch.path)
    #expect(forged.status == 0, "\(forged.errors)")
    for name in try scratch.contents("\(schema)/logs") {
      try scratch.write("all/\(schema)-\(name)", scratch.bytes("\(schema)/logs/\(name)"))
    }
  }

  private func audit() throws -> ReportFolder {
    let anchors = Self.schemas.flatMap { schema in
      [
        "--trust-anchor", "\(schema)/anchors/synthetic-attestation-root.pem", "--receipt-anchor",
        "\(schema)/anchors/synthetic-receipt-root.pem",
      ]
    }
    let found = try Program.run(["init", "all", "--out", "p.yaml"] + anchors, in: scratch.path)
    #expect(found.status == 0, "\(found.errors)\(found.output)")
    #expect(found.output.contains(#/100\.0 % \((\d+) of \1\) of those that contain tokens\n/#))
    let check = try Program.run(["check", "p.yaml", "--run-tests"], in: scratch.path)
    #expect(check.status == 0, "\(check.errors)")
    let audit = try Program.run(
      ["audit", "--pipeline", "p.yaml", "--out", "report", "--attestation-max-age", "2d"]
        + EndInitTests.everyApp, in: scratch.path)
    #expect(audit.status == 0, "\(audit.errors)\(audit.output)")
    return scratch.report()
  }

  @Test func `three servers in one folder, each read by rules of its own`() throws {
    for (seed, schema) in Self.schemas.enumerated() {
      try forge(schema, seed: seed + 3)
    }
    let report = try audit()
    #expect(try report.findings == [])
    #expect(try report.summary.records["attestations"] == 36)
    #expect(try report.summary.records["assertions"] == 300)
    #expect(try report.summary.records["unreadable"] == 0)
    let text = String(decoding: try scratch.bytes("p.yaml"), as: UTF8.self)
    for name in ["attestation", "'attestation 2'", "'attestation 3'", "assertion", "'assertion 3'"]
    {
      #expect(text.contains("    - name: \(name)\n"))
    }
    #expect(text.contains("  replayScope: exact\n"))
  }

  @Test(.enabled(if: EndVector.isPresent))
  func `genuine attestations verify under Apple's root`() throws {
    let scratch = try Scratch()
    try scratch.write("log.jsonl", EndVector.log(EndVector.records, times: [:]))
    let outcome = try Program.run(["init", "log.jsonl", "--out", "p.yaml"], in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains(#/attestations verified: \d+ (production|development)/#))
    #expect(try Program.run(["check", "p.yaml", "--run-tests"], in: scratch.path).status == 0)
  }
}
