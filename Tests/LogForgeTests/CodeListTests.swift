import FindingCodes
import Testing

@testable import LogForge

struct CodeListTests {
  @Test func `every finding that there is can be forged`() {
    #expect(Set(AttackCatalog.all.map(\.code)) == Set(FindingCode.allCases))
    #expect(
      ForgedSchema.allCases.reduce(into: AttackCatalog.beyondLogs) { $0.formUnion($1.codes) }
        == Set(FindingCode.allCases))
  }

  @Test func `the default form shows all but what a server had stored`() {
    #expect(
      ForgedSchema.default.codes
        == Set(FindingCode.allCases).subtracting([.counterServerMismatch, .streamMissing]))
  }

  @Test func `only its name asks for what no log shows`() throws {
    #expect(try !FindingCode.parse("all,stream").contains(.streamMissing))
    #expect(try FindingCode.parse("stream.missing") == [.streamMissing])
  }

  @Test(arguments: [ForgedSchema.deviceIntegrity, .swiftui, .headerAssertion])
  func `where client data holds no challenge nothing but the same assertion is a replay`(
    schema: ForgedSchema
  ) {
    #expect(schema.codes.isDisjoint(with: [.replayCrossKey, .replayClientDataHash]))
    #expect(schema.codes.isSuperset(of: [.replayAssertion, .replayAttestation, .replayRetry]))
  }

  @Test func `what is found by a field shows only where the field is`() {
    let shown = { (code: FindingCode) in ForgedSchema.allCases.filter { $0.codes.contains(code) } }
    for code in [
      FindingCode.recordOddEncoding, .recordOddJSON, .recordClientDataLossy, .recordNotAudited,
      .attestationAccessControl, .attestationCodeMismatch, .assertionCodeMismatch,
      .recordMissingField, .recordBadEncoding,
      .recordAmbiguousField, .attestationReceiptInvalid, .replayRetry,
    ] {
      #expect(shown(code) == ForgedSchema.allCases)
    }
    #expect(shown(.counterServerMismatch) == [.headerAssertion])
    #expect(shown(.recordPlatformMismatch) == [.default, .capgo])
    #expect(shown(.recordClientDataHashMismatch) == [.default])
    #expect(
      shown(.recordDuplicate)
        == [
          .default, .deviceIntegrity, .nginxJson, .envoy, .otel, .gcp, .cloudwatch, .awsApigw,
        ])
    #expect(shown(.keySubjectChanged) == [.default, .swiftui])
    #expect(shown(.challengeExpired) == [.default, .swiftui])
    #expect(shown(.challengeNotIssued) == [.default])
    #expect(shown(.replayCrossKey) == [.default, .capgo])
  }

  @Test func `lists of codes name codes and families`() throws {
    #expect(try FindingCode.parse("all") == ForgedSchema.default.codes)
    #expect(try FindingCode.parse("none") == [])
    #expect(try FindingCode.parse("counter").count == 4)
    #expect(
      try FindingCode.parse("all,-record.not_audited,-stream")
        == ForgedSchema.default.codes.subtracting([
          .recordNotAudited, .streamCorrupt, .streamTruncated, .streamUnreadable,
        ]))
    #expect(try FindingCode.parse("counter", schema: .headerAssertion).count == 5)
    #expect(
      try FindingCode.parse("key.unknown, challenge.weak") == [.keyUnknown, .challengeWeak])
  }

  @Test(arguments: ["count", "key.", "all,nothing", "counter.regressions", "-", "all,-nothing"])
  func `a word that is no code and no family is refused`(list: String) {
    #expect(throws: ForgeError.self) { try FindingCode.parse(list) }
  }

  @Test(arguments: [
    (ForgedSchema.default, "counter.server_mismatch"), (.swiftui, "counter.server_mismatch"),
    (.capgo, "counter,challenge.expired"), (.deviceIntegrity, "replay.cross_key"),
    (.swiftui, "record.platform_mismatch"), (.headerAssertion, "key.subject_changed"),
  ])
  func `a code that the logs cannot show is refused by name`(schema: ForgedSchema, list: String) {
    let code = list.split(separator: ",").last ?? ""
    #expect(
      throws: ForgeError(
        .usage, "--attacks \(code): the logs of \(schema.rawValue) cannot show it")
    ) { try FindingCode.parse(list, schema: schema) }
    var options = ForgeOptions(keys: 1, assertions: 1, files: 1, seed: 1)
    options.schema = schema
    options.attacks = Set(FindingCode.allCases.filter { $0.name == code })
    #expect(throws: ForgeError.self) { try LogForge(options) }
  }
}
