import AuditEngine
import AuditSettings
import FindingCodes
import Foundation
import LogForge
import TestSupport
import Testing

/// Attacks that a server accepted, written as somebody would write them who knows this program: with lies,
/// odd encodings, other orders, and over several files and nights. None ends at status 0.
///
/// `ATTEST_AUDIT_RED_TEAM` sets how many are composed, `ATTEST_AUDIT_RED_TEAM_SEED` where they start; the
/// seed of a failure is in its message.
struct RedTeamTests {
  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  private static let rounds = setting("ATTEST_AUDIT_RED_TEAM") ?? 120
  private static let first = setting("ATTEST_AUDIT_RED_TEAM_SEED") ?? 1
  /// Compositions are made side by side.
  private static let lanes = 2

  /// The attacks of a schema that must fail a run.
  private static let attacks: Set<FindingCode> = [
    .replayAssertion, .replayAttestation, .replayCrossKey, .replayClientDataHash,
    .counterRepeated, .counterRegression, .assertionSignatureInvalid, .assertionAppIDMismatch,
    .assertionMalformed, .attestationChainUntrusted, .attestationNonceMismatch,
    .attestationKeyIDMismatch, .attestationAppIDMismatch, .attestationEnvironmentMismatch,
    .attestationCounterNonzero, .attestationMalformed, .attestationPublicKeyMismatch,
    .attestationCredentialIDMismatch, .keyUnknown, .keyUntrusted,
    .recordClientDataHashMismatch,
  ]

  @Test(arguments: 0..<lanes)
  func `no evasion takes an accepted attack to status 0`(_ lane: Int) throws {
    let scratch = try Scratch()
    var days: [String: AttackedDay] = [:]
    for seed in Self.first..<(Self.first + Self.rounds) where seed % Self.lanes == lane {
      var random = Generator(UInt64(seed))
      let schema = ForgedSchema.allCases[random.below(ForgedSchema.allCases.count)]
      let choice = schema.codes.intersection(Self.attacks).sorted { $0.name < $1.name }
      let attack = choice[random.below(choice.count)]
      let name = "\(schema.rawValue)-\(attack.name)-\(random.below(4))"
      let day = try days[name] ?? AttackedDay(scratch, name, schema, attack)
      days[name] = day
      guard day.isSeen else { continue }
      var evasion = Evasion(of: day, random)
      try evasion.write(to: "\(scratch.path)/nights")
      let worst = try day.worstStatus(evasion.nights.map { "\(scratch.path)/nights/\($0)" })
      #expect(
        worst > 0, "ATTEST_AUDIT_RED_TEAM_SEED=\(seed): \(name), \(evasion.summary), is not seen")
    }
    // An attack that its own schema shows is what compositions start from.
    let seen = days.values.count(where: \.isSeen)
    #expect(seen * 10 > days.count * 7, "\(seen) of \(days.count)")
  }
}
