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

  private let day: ForgedDay

  init() throws {
    day = try ForgedDay()
  }

  private var scratch: Scratch { day.scratch }

  private func forge(_ schema: ForgedSchema, _ flags: [String]) throws {
    try day.forge(["--schema", schema.rawValue] + flags)
  }

  // Eight seeds in a row play every way in which a system's records break; the default form has
  // tests of its own.
  @Test(arguments: ForgedSchema.allCases.filter { $0 != .default }, ForgedDay.seeds(8))
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
  func `every attack is found several times in a larger day`(_ schema: ForgedSchema) throws {
    try forge(
      schema,
      [
        "--attacks", "all", "--seed", "41", "--keys", "30", "--assertions", "1000", "--files", "4",
        "--zipf",
      ])
    #expect(try day.audit("day/pipeline.yaml", "--quiet").status == 2)
    try day.expectTruth()
  }

  @Test(
    arguments: ForgedSchema.allCases,
    [[], ["--zipf"], ["--line-breaks"], ["--zipf", "--line-breaks"]])
  func `nothing is found in clean logs`(_ schema: ForgedSchema, _ flags: [String]) throws {
    for seed in ForgedDay.seeds(1) {
      try forge(
        schema,
        [
          "--clean", "--seed", "\(50 + seed)", "--keys", "12", "--assertions", "300", "--files",
          "\(seed % 3 + 1)",
        ] + flags)
      try day.expectSilence()
      let records = try scratch.report().summary.records
      #expect(records["attestations"] == 12)
      #expect(records["assertions"] == 300)
      #expect(records["challenges"] == 0)
      #expect((records["skipped"] ?? 0) > 0 || schema == .default)
      #expect(((records["deviceCheckTokens"] ?? 0) > 0) == (schema == .deviceIntegrity))
    }
  }

  @Test func `the challenges of a clean day are all there`() throws {
    try forge(
      .swiftui,
      [
        "--clean", "--seed", "53", "--keys", "12", "--assertions", "100", "--challenge-records",
      ])
    try day.expectSilence()
    let records = try scratch.report().summary.records
    // Assertions sign no challenge.
    #expect(records["challenges"] == 12)
    #expect(records["assertions"] == 100)
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
  }

  @Test(arguments: ForgedSchema.allCases)
  func `the logs in testdata are audited as their truth says`(_ schema: ForgedSchema) throws {
    let folder = Self.testdata.appendingPathComponent(schema.rawValue).path
    let outcome = try day.audit(folder + "/pipeline.yaml", "--quiet")
    // No notice: few enough lines are broken.
    #expect(outcome == Program.Outcome(status: 2, output: "", errors: ""))
    try day.expectTruth(folder)
  }
}
