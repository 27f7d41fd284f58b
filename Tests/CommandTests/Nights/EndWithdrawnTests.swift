import Foundation
import TestSupport
import Testing

/// Findings that later nights explain: they are withdrawn aloud.
struct EndWithdrawnTests {
  private let scratch: Scratch

  /// Forges a clean day, cut into assertions and the attestations that come a night late. The lines of this seed
  /// that say what they are have two of the three attestations.
  init() throws {
    scratch = try Scratch()
    let forged = try Program.forge(
      [
        "--out", "day", "--clean", "--seed", "6", "--keys", "3", "--assertions", "12",
        "--files", "1",
      ], in: scratch.path)
    #expect(forged.status == 0, "\(forged.errors)")
    let packed = try scratch.bytes("day/logs/edge-a-00000.jsonl.zst")
    let lines = try Packed.unpack(packed).split(separator: 0x0A).map {
      String(decoding: $0, as: UTF8.self)
    }
    for kind in ["assertion", "attestation"] {
      let chosen = lines.filter { $0.contains("\"kind\":\"\(kind)\"") }
      #expect(kind == "attestation" ? chosen.count == 2 : chosen.count > 2)
      try scratch.write("\(kind)s", Array(chosen.map { $0 + "\n" }.joined().utf8))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)],
        ofItemAtPath: scratch.path + "/\(kind)s")
    }
  }

  private func night(_ input: String, _ more: [String]) throws -> Program.Outcome {
    try Program.run(
      ["audit", input, "--pipeline", "day/pipeline.yaml", "--state", "state"] + more,
      in: scratch.path)
  }

  @Test func `attestations that come a night late withdraw aloud what they explain`() throws {
    let first = try night("assertions", ["--out", "one", "--date", "2026-03-10"])
    #expect(first.status == 1)
    let unknown = try scratch.report("one").findingRows
    #expect(unknown.count == 3 && unknown.allSatisfy { $0["code"] == "key.unknown" })
    #expect(try CSVTable.rows(scratch.report("one").bytes("withdrawn.csv")).isEmpty)
    let second = try night("attestations", ["--out", "two", "--date", "2026-03-11"])
    #expect(second.status == 0, "what is withdrawn changes no status")
    #expect(second.output.contains("\nwithdrawn 2 earlier findings\n  critical  key.unknown  key "))
    #expect(
      second.output.contains("Withdrawn, reported on 2026-03-10: the key has an attestation now"))
    let report = scratch.report("two")
    #expect(try report.findingRows.isEmpty)
    let withdrawn = try CSVTable.rows(report.bytes("withdrawn.csv"))
    #expect(withdrawn.map { $0["code"] } == ["key.unknown", "key.unknown"])
    let reported = Set(unknown.map { $0["fingerprint"] })
    #expect(withdrawn.allSatisfy { reported.contains($0["fingerprint"]) })
    #expect(withdrawn.allSatisfy { $0["detail"]?.hasPrefix("Withdrawn, reported on ") == true })
    // The third key has no attestation still.
    let open = try Program.run(
      ["state", "findings", "state", "--format", "csv"], in: scratch.path)
    #expect(try CSVTable.rows(Array(open.output.utf8)).map { $0["code"] } == ["key.unknown"])
  }

  @Test func `what is withdrawn is printed without a report folder, and not where all is quiet`()
    throws
  {
    #expect(try night("assertions", ["--quiet"]).output == "")
    let quiet = try night("attestations", ["--quiet", "--state-mode", "reference"])
    #expect(quiet.status == 0 && quiet.output == "")
    let second = try night("attestations", [])
    #expect(second.status == 0)
    #expect(second.output.contains("\nwithdrawn 2 earlier findings\n"))
    // And once: the night after has nothing to say.
    let third = try night("attestations", [])
    #expect(third.status == 0 && third.output == "")
  }
}
