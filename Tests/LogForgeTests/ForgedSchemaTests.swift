import FindingCodes
import Foundation
import Testing

@testable import LogForge

/// Days of logs in the form of each system.
struct ForgedSchemaTests {
  private struct Truth: Decodable {
    var code: String
    var source: String
    var line: Int
  }

  private func options(_ schema: ForgedSchema, seed: UInt64, attacks: Set<FindingCode>? = nil)
    -> ForgeOptions
  {
    var options = ForgeOptions(
      keys: 4, assertions: 40, files: 3, seed: seed, attacks: attacks ?? schema.codes)
    options.schema = schema
    return options
  }

  private func truth(_ files: [String: Data]) throws -> [Truth] {
    try #require(files["truth.jsonl"]).split(separator: 0x0A).map {
      try JSONDecoder().decode(Truth.self, from: $0)
    }
  }

  @Test func `every finding that there is can be forged`() {
    #expect(
      ForgedSchema.allCases.reduce(into: AttackCatalog.beyondLogs) { $0.formUnion($1.codes) }
        == Set(FindingCode.allCases))
  }

  @Test(arguments: ForgedSchema.allCases)
  func `the same seed gives the same bytes and all attacks every code`(schema: ForgedSchema)
    throws
  {
    let files = try forge(options(schema, seed: 3))
    #expect(try files == forge(options(schema, seed: 3)))
    #expect(try files["truth.jsonl"] != forge(options(schema, seed: 4))["truth.jsonl"])
    #expect(try Set(truth(files).map(\.code)) == Set(schema.codes.map(\.name)))
    let pipeline = String(decoding: try #require(files["pipeline.yaml"]), as: UTF8.self)
    #expect(pipeline.contains("\nschema: \(schema.rawValue)\n"))
  }

  @Test(arguments: ForgedSchema.allCases)
  func `every variant can be played and finds nothing that logs of this form do not show`(
    schema: ForgedSchema
  ) throws {
    let authority = try Minted.authority.get()
    for seed in 1...8 as ClosedRange<UInt64> {
      let outcome = try AttackCatalog.play(options(schema, seed: seed), authority: authority)
      let found = Set(
        outcome.lines.flatMap(\.findings) + outcome.damagedFiles.flatMap { $0.findings.map(\.code) }
      )
      #expect(found == schema.codes)
      #expect(outcome.lines.allSatisfy { $0.time >= TrafficPlan.dayStart })
      #expect(outcome.lines.allSatisfy { $0.time < TrafficPlan.dayEnd })
    }
  }
}
