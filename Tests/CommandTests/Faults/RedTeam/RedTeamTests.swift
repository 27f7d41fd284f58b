import AuditEngine
import AuditLog
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

/// A small forged log with one kind of attack in it, and how it is audited.
struct AttackedDay {
  let schema: ForgedSchema
  /// The lines of the log, in its order.
  let lines: [String]
  /// The indexes of those that a finding of high severity is about.
  private(set) var attacks: Set<Int> = []
  private let audit: SmallAudit
  private let compiled: SchemaFile
  private let knownKeys: [KnownKey]

  /// Whether the attack fails a run as it stands. Of an attack that the server rejected, that is
  /// not asked.
  var isSeen: Bool { !attacks.isEmpty }

  /// Forges the day into the folder `name`.
  init(_ scratch: Scratch, _ name: String, _ schema: ForgedSchema, _ attack: FindingCode) throws {
    self.schema = schema
    var options = ForgeOptions(
      keys: 2, assertions: 10, files: 1,
      seed: UInt64(name.utf8.reduce(7) { ($0 * 31 + Int($1)) % 65_521 }), attacks: [attack])
    options.schema = schema
    let folder = "\(scratch.path)/\(name)"
    _ = try LogForge(options).write(to: folder)
    compiled = try SchemaFile.named(
      schema.rawValue, origin: "test", key: "", folder: "",
      substitution: Substitution())
    let list = "\(folder)/known-keys.csv"
    knownKeys =
      FileManager.default.fileExists(atPath: list)
      ? try KnownKeysFile.read(NamedPath(path: list, origin: "test")).keys : []
    audit = try SmallAudit(scratch, anchors: "\(folder)/anchors")
    let logs = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/logs").sorted()
    let content = try logs.flatMap { try Packed.unpack(scratch.bytes("\(name)/logs/\($0)")) }
    lines = String(decoding: content, as: UTF8.self).split(separator: "\n").map(String.init)
    let plain = try scratch.write("\(name)/plain.jsonl", content)
    let outcome = try night(plain, nil)
    attacks = Set(
      outcome.findings.filter { $0.severity >= .high && $0.position.line > 0 }
        .map { Int($0.position.line) - 1 })
  }

  /// Returns the most severe of the statuses of several nights, each of one folder, with one state.
  func worstStatus(_ nights: [String]) throws -> Int32 {
    guard nights.count > 1 else { return try nights.map { try night($0, nil).status }.max() ?? 0 }
    let history = MemoryHistory()
    var worst: Int32 = 0
    for (index, folder) in nights.enumerated() {
      let run = history.beginRun(
        date: "2026-03-0\(index + 1)",
        names: try FileManager.default.subpathsOfDirectory(atPath: folder))
      let outcome = try night(folder, run)
      for finding in outcome.findings { try run.findings.remember(finding) }
      history.commit()
      worst = max(worst, outcome.status)
    }
    return worst
  }

  private func night(_ input: String, _ history: RunMemory?) throws -> SmallAudit.Outcome {
    try audit.run([input]) { configuration in
      configuration.schema = compiled.compiled
      if let scope = compiled.replayScope { configuration.detection.replayScope = scope }
      configuration.knownKeys = knownKeys
      configuration.verification.verifier = .openssl
      configuration.history = history
    }
  }
}
