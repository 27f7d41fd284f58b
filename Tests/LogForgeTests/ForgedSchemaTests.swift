import FindingCodes
import Testing

@testable import LogForge

/// Days of logs in the form of each system.
struct ForgedSchemaTests {
  @Test func `every finding that there is can be forged`() {
    #expect(
      ForgedSchema.allCases.reduce(into: AttackCatalog.beyondLogs) { $0.formUnion($1.codes) }
        == Set(FindingCode.allCases))
  }

  @Test(arguments: ForgedSchema.allCases)
  func `every variant can be played and finds nothing that logs of this form do not show`(
    schema: ForgedSchema
  ) throws {
    let authority = Minted.authority.get()
    for seed in 1...8 as ClosedRange<UInt64> {
      var options = ForgeOptions(
        keys: 4, assertions: 40, files: 3, seed: seed, attacks: schema.codes)
      options.schema = schema
      let outcome = AttackCatalog.play(options, authority: authority)
      let found = Set(
        outcome.lines.flatMap(\.findings) + outcome.damagedFiles.flatMap { $0.findings.map(\.code) }
      )
      #expect(found == schema.codes)
      #expect(outcome.lines.allSatisfy { $0.time >= TrafficPlan.dayStart })
      #expect(outcome.lines.allSatisfy { $0.time < TrafficPlan.dayEnd })
    }
  }
}
