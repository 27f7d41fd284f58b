import FindingCodes
internal import Minting

extension AttackCatalog {
  /// Attempts to get a build past a policy. Twenty seeds in a row play them all.
  static let buildAttacks: [Attack] = (0..<groups).map { group in
    Attack(
      code: .assertionCodeMismatch,
      variants: (BuildAttempt.all.count + groups - 1 - group) / groups,
      play: { (scene, variant) in
        play(BuildAttempt.all[variant * groups + group], &scene)
      })
  }

  private static let groups = 4

  /// Plays an honest app that is replaced by the build of an attempt and by itself again, and a key that the
  /// build attests.
  private static func play(_ attempt: BuildAttempt, _ scene: inout AttackScene) {
    let honest = BuildClaims()
    var claims = honest
    attempt.edits.apply(to: &claims)
    let (assertion, attestation): ([FindingCode], [FindingCode]) =
      switch attempt.finding {
      case .category: ([.assertionCategoryMismatch], [.attestationCategoryMismatch])
      case .code: ([.assertionCodeMismatch], [.attestationCodeMismatch])
      case .malformed: ([.assertionMalformed], [.attestationMalformed])
      case nil: ([], [])
      }
    let old = attest(honest, at: scene.start, finds: [], &scene)
    assert(honest, of: old, counter: 1, finds: [], &scene)
    assert(claims, of: old, counter: 2, finds: assertion, &scene)
    assert(honest, of: old, counter: 3, finds: [], &scene)
    let new = attest(claims, at: scene.start + 90_000, finds: attestation, &scene)
    if attempt.finding != .malformed { assert(honest, of: new, counter: 4, finds: [], &scene) }
  }

  private static func attest(
    _ claims: BuildClaims, at time: Int64, finds: [FindingCode], _ scene: inout AttackScene
  ) -> Device {
    let device = scene.device(app: .vault, system: .iOS27)
    scene.attest(
      device, at: time, finds: finds,
      recipe: { $0.extensionMap = claims.map },
      token: { $0.token(with: claims.unsigned) })
    return device
  }

  private static func assert(
    _ claims: BuildClaims, of device: Device, counter: UInt32, finds: [FindingCode],
    _ scene: inout AttackScene
  ) {
    let data = scene.freshData(.assertion)
    let signed = device.sign(
      device.assertionData(counter: counter, map: claims.map), clientDataHash: data.hash,
      scene.tools)
    scene.log(
      signed.token(with: claims.unsigned), of: device,
      at: scene.start + Int64(counter) * 30_000, data: data, finds: finds)
  }
}
