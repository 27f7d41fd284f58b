internal import OpenSSL

/// One way to bring a finding about, in several variants.
struct Attack: Sendable {
  let code: ForgedCode
  let variants: Int
  let play: @Sendable (inout AttackScene, _ variant: Int) throws(MintingError) -> Void
}

/// All attacks, and what a run plays of them.
enum AttackCatalog {
  static let all: [Attack] =
    attestationAttacks + receiptAttacks + assertionAttacks + counterAttacks + keyAttacks
    + replayAttacks + challengeAttacks + recordAttacks + streamAttacks

  /// What the attackers of a run leave behind.
  struct Outcome: Sendable {
    var lines: [ForgedLine] = []
    var knownKeys: [KnownKeyRow] = []
    var damagedFiles: [DamagedFile] = []
  }

  /// Plays the attacks that `options` ask for: each code once in a small run and a few times in a
  /// large one, its variants in turn, beginning with one that the seed chooses.
  static func play(_ options: ForgeOptions, authority: SyntheticAuthority)
    throws(MintingError) -> Outcome
  {
    let instances = options.assertions < 1_000 ? 1 : options.assertions < 100_000 ? 3 : 8
    var outcome = Outcome()
    for (place, attack) in all.enumerated() where options.attacks.contains(attack.code) {
      for instance in 0..<instances {
        var scene = try AttackScene(
          options: options, authority: authority, number: UInt64(place << 8 | instance))
        let turn = options.seed &* UInt64(instances) &+ UInt64(instance)
        try attack.play(&scene, Int(turn % UInt64(attack.variants)))
        outcome.lines += scene.lines
        outcome.knownKeys += scene.knownKeys
        outcome.damagedFiles += scene.damagedFiles
      }
    }
    return outcome
  }
}
