import FindingCodes
internal import Minting

extension AttackCatalog {
  /// Attacks on the assignment of keys to devices, for logs whose requests name devices only.
  static let deviceAttacks: [Attack] = [
    Attack(code: .keyUnknown, variants: 2, needs: .deviceJoin, play: strangeDevices),
    Attack(code: .keyUntrusted, variants: 2, needs: .deviceJoin, play: devicesWithoutTrust),
    Attack(
      code: .attestationChainUntrusted, variants: 3, needs: .deviceJoin, play: failedTakeover),
    Attack(code: .assertionSignatureInvalid, variants: 6, needs: .deviceJoin, play: otherKey),
    Attack(
      code: .keyUsedBeforeAttestation, variants: 1, needs: .deviceJoin,
      play: usedBeforeTwoAttestations),
  ]

  /// Returns another key of the same app on the device of `owner`.
  private static func device(_ scene: inout AttackScene, of owner: Device) throws(MintingError)
    -> Device
  {
    var device = try scene.device(app: owner.app)
    device.deviceID = owner.deviceID
    return device
  }

  private static func strangeDevices(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    if variant == 0 {
      // Names are compared by their bytes: neither case nor Unicode's other spelling is the same.
      var known = try scene.device()
      known.deviceID = "Zo\u{EB}s iPad \(scene.random.below(1_000_000))"
      try scene.attest(known, at: scene.start)
      try scene.assert(known, at: scene.start + 60_000, counter: 1)
      for (place, letters) in ["Zoe\u{308}", "zo\u{EB}", "Zo\u{EB} "].enumerated() {
        var strange = known
        strange.deviceID = letters + known.deviceID.dropFirst(3)
        let time = scene.start + 120_000 + Int64(place) * 10_000
        try scene.assert(strange, at: time, counter: 2, finds: [.keyUnknown])
        try scene.assert(strange, at: time + 1_000, counter: 3)
      }
      return
    }
    // Two devices, one finding each, at their earliest requests. A number and its digits are one
    // name.
    var number = try scene.device()
    number.deviceID = String(scene.random.within(1_000_000_000...9_999_999_999))
    let other = try scene.device()
    for step in [Int64(3), 2, 1] {
      try scene.assert(
        number, at: scene.start + step * 1_000, counter: UInt32(step),
        finds: step == 1 ? [.keyUnknown] : [])
      try scene.assert(
        other, at: scene.start + step * 1_000, counter: UInt32(step),
        finds: step == 1 ? [.keyUnknown] : [])
    }
  }

  private static func failedAttestation(
    _ device: Device, at time: Int64, _ scene: inout AttackScene
  ) throws(MintingError) {
    let nonce = scene.random.bytes(32)
    try scene.attest(
      device, at: time, finds: [.attestationNonceMismatch], recipe: { $0.nonce = .other(nonce) })
  }

  private static func devicesWithoutTrust(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let first = try scene.device()
    try failedAttestation(first, at: scene.start, &scene)
    if variant == 0 {
      // Two keys, neither of them good: signatures are attributed to the one that failed last.
      let second = try device(&scene, of: first)
      try failedAttestation(second, at: scene.start + 3_600_000, &scene)
      try scene.assert(first, at: scene.start + 60_000, counter: 1, finds: [.keyUntrusted])
      try scene.assert(first, at: scene.start + 3_500_000, counter: 2)
      try scene.assert(
        second, at: scene.start + 3_660_000, counter: 1, finds: [.keyUntrusted])
      return
    }
    // A key that was known before is better than one that failed.
    let known = try device(&scene, of: first)
    scene.knownKeys.append(
      KnownKeyRow(
        device: known, attestedAt: scene.start - 90 * 86_400_000, lastCounter: importedCounter,
        namesDevice: true))
    try scene.assert(known, at: scene.start + 60_000, counter: importedCounter + 1)
    let stranger = try scene.device()
    try failedAttestation(stranger, at: scene.start, &scene)
    try scene.assert(stranger, at: scene.start + 60_000, counter: 1, finds: [.keyUntrusted])
  }

  /// Plays an attestation that fails, which takes no device from its owner.
  private static func failedTakeover(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let owner = try scene.enrolled()
    let thief = try device(&scene, of: owner)
    let chain = try ForeignChains.chain(variant, scene.authority, &scene.random, scene.tools)
    try scene.assert(owner, at: scene.start + 60_000, counter: 1)
    try scene.attest(
      thief, at: scene.start + 120_000, finds: [.attestationChainUntrusted],
      recipe: {
        $0.issuer = chain.issuer
        $0.chain = chain.certificates
      })
    try scene.assert(owner, at: scene.start + 180_000, counter: 2)
    try scene.assert(
      thief, at: scene.start + 240_000, counter: 3, finds: [.assertionSignatureInvalid])
    try scene.assert(owner, at: scene.start + 300_000, counter: 3)
  }

  /// Plays a device that attests a second key and goes on with both, and a stranger in its name. Each
  /// request belongs to the key that signed it (`records.R77`).
  private static func otherKey(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    if variant == 4 { return try rejectedTakeover(&scene) }
    if variant == 5 { return try skewedClocks(&scene) }
    let tolerance = AttackSettings.reorderTolerance
    let isImported = variant == 2
    let first = try isImported ? imported(&scene) : scene.enrolled()
    let second = try device(&scene, of: first)
    let change = scene.start + 3_600_000
    let counter = isImported ? importedCounter + 1 : 1
    try scene.assert(first, at: scene.start + 60_000, counter: counter)
    try scene.attest(second, at: change)
    switch variant {
    case 1:
      try scene.assert(
        second, at: change - tolerance - 1, counter: 1, finds: [.keyUsedBeforeAttestation])
      try scene.assert(second, at: change - tolerance, counter: 2)
    case 3:
      // The first key is attested once more.
      try scene.attest(
        first, at: change + 600_000, finds: [.keyReattested], record: { $0.decision = .accepted })
    default: break
    }
    try scene.assert(second, at: change + 660_000, counter: 3)
    try scene.assert(first, at: change + 720_000, counter: counter + 1)
    try scene.assert(second, at: change + 780_000, counter: 4)
    let stranger = try device(&scene, of: first)
    for time in [change - 60_000, change + 840_000] {
      try scene.assert(stranger, at: time, counter: 1, finds: [.assertionSignatureInvalid])
    }
  }

  /// Plays a key whose attestation the server rejected, which takes no device from its owner.
  private static func rejectedTakeover(_ scene: inout AttackScene) throws(MintingError) {
    let owner = try scene.enrolled()
    let thief = try device(&scene, of: owner)
    try scene.assert(owner, at: scene.start + 60_000, counter: 1)
    try scene.attest(
      thief, at: scene.start + 120_000, finds: [.decisionRejectedValid],
      record: { $0.decision = .rejected })
    try scene.assert(owner, at: scene.start + 180_000, counter: 2)
    let stranger = try device(&scene, of: owner)
    try scene.assert(
      stranger, at: scene.start + 240_000, counter: 3, finds: [.assertionSignatureInvalid])
    try scene.assert(owner, at: scene.start + 300_000, counter: 3)
  }

  /// Plays requests around a device's second attestation.
  private static func skewedClocks(_ scene: inout AttackScene) throws(MintingError) {
    let tolerance = AttackSettings.reorderTolerance
    let first = try scene.enrolled()
    let second = try device(&scene, of: first)
    let change = scene.start + 3_600_000
    try scene.attest(second, at: change)
    try scene.assert(first, at: change - 9_000, counter: 1)
    try scene.assert(second, at: change - 500, counter: 1)
    try scene.assert(first, at: change + tolerance, counter: 2)
    try scene.assert(first, at: change + tolerance + 1, counter: 3)
    let stranger = try device(&scene, of: first)
    try scene.assert(
      stranger, at: change - 400, counter: 2, finds: [.assertionSignatureInvalid])
    try scene.assert(second, at: change + 2 * tolerance, counter: 2)
  }

  private static func usedBeforeTwoAttestations(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let first = try scene.enrolled()
    let second = try device(&scene, of: first)
    try scene.attest(second, at: scene.start + 3_600_000)
    // Before both, the first is the one that is meant.
    try scene.assert(
      first, at: scene.start - 600_000, counter: 1, finds: [.keyUsedBeforeAttestation])
    try scene.assert(first, at: scene.start + 60_000, counter: 2)
    try scene.assert(second, at: scene.start + 3_660_000, counter: 1)
  }
}
