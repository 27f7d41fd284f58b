import FindingCodes
import Foundation
import LogForge
import TestSupport
import Testing

/// Logs in the form of each known system, read through its schema by the built program: what is
/// found is what was forged, no more and no less.
struct EndSchemaForgedTests {
  private static let testdata = Repository.folder.appending(path: "testdata/schemas")

  /// The flags that `testdata/schemas/NAME` was made with: `attest-forge --schema NAME` and
  /// these.
  private static func flags(_ schema: ForgedSchema) -> [String] {
    schema == .default
      ? [
        "--attacks", "all,-record.not_audited", "--seed", "1", "--keys", "2", "--assertions", "12",
        "--files", "1",
      ]
      : [
        "--attacks", "all,-record.not_audited", "--seed", "9", "--keys", "3", "--assertions", "30",
        "--files", "2",
      ]
  }

  private let day = ForgedDay()

  private var scratch: Scratch { day.scratch }

  private func forge(_ schema: ForgedSchema, _ flags: [String]) throws {
    try day.forge(["--schema", schema.rawValue] + flags)
  }

  // Seeds in a row play the ways in which a system's records break; the default form has
  // tests of its own.
  @Test(arguments: ForgedSchema.allCases.filter { $0 != .default }, ForgedDay.seeds(3))
  func `every attack is found through the system's schema, and nothing else`(
    _ schema: ForgedSchema, _ seed: Int
  ) throws {
    try forge(
      schema,
      [
        "--attacks", "all", "--seed", "\(seed)", "--keys", "\(seed * 2)", "--assertions",
        "\(40 + seed * 20)", "--files", "\(1 + seed % 5)",
      ])
    let outcome = try day.audit("day/pipeline.yaml", "--quiet")
    try day.expectTruth()
    #expect(try day.expectedCodes() == Set(schema.codes.map { Substring($0.name) }))
    // Damaged files are among what is forged.
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(outcome.output == "")
  }

  @Test(arguments: ForgedSchema.allCases)
  func `nothing is found in clean logs`(_ schema: ForgedSchema) throws {
    try forge(
      schema,
      [
        "--clean", "--seed", "51", "--keys", "12", "--assertions", "300", "--files", "2", "--zipf",
        "--line-breaks",
      ])
    try day.expectSilence()
    let records = try scratch.report().summary.records
    #expect(records["attestations"] == 12)
    #expect(records["assertions"] == 300)
    #expect(records["challenges"] == 0)
    #expect((records["skipped"] ?? 0) > 0 || schema == .default)
    #expect(((records["deviceCheckTokens"] ?? 0) > 0) == (schema == .deviceIntegrity))
  }

  @Test(arguments: ForgedSchema.allCases)
  func `the logs in testdata are what the forge writes`(_ schema: ForgedSchema) throws {
    try forge(schema, Self.flags(schema))
    let kept = Self.testdata.appendingPathComponent(schema.rawValue).path
    let names = try #require(FileManager.default.subpaths(atPath: kept)).sorted()
    let forged = try #require(FileManager.default.subpaths(atPath: scratch.path + "/day")).sorted()
    #expect(names == forged)
    var bytes = 0
    for name in names {
      guard let data = FileManager.default.contents(atPath: kept + "/" + name) else { continue }
      #expect(
        data == FileManager.default.contents(atPath: scratch.path + "/day/" + name), "\(name)")
      bytes += data.count
    }
    #expect(bytes > 50_000 && bytes < 300_000)
    // They are audited as their truth says, without a notice: few enough lines are broken.
    let outcome = try day.audit(kept + "/pipeline.yaml", "--quiet")
    #expect(outcome == Program.Outcome(status: 2, output: "", errors: ""))
    try day.expectTruth(kept)
  }
}
