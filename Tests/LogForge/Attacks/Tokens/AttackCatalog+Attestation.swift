import FindingCodes
internal import Minting

extension AttackCatalog {
  static let attestationAttacks: [Attack] = [
    Attack(code: .attestationMalformed, variants: 16, play: malformedAttestation),
    Attack(code: .attestationFormat, variants: 3, play: otherFormat),
    Attack(code: .attestationChainUntrusted, variants: 9, play: untrustedChain),
    Attack(code: .attestationCertificateTime, variants: 4, play: certificateTime),
    Attack(code: .attestationNonceMismatch, variants: 5, play: nonceMismatch),
    Attack(code: .attestationKeyIDMismatch, variants: 2, play: keyIDMismatch),
    Attack(code: .attestationPublicKeyMismatch, variants: 3, play: publicKeyMismatch),
    Attack(
      code: .attestationAppIDMismatch, variants: 4, variantNeeds: [3: .appID],
      play: attestedAppMismatch),
    Attack(code: .attestationCounterNonzero, variants: 2, play: counterNonzero),
    Attack(code: .attestationEnvironmentMismatch, variants: 4, play: environmentMismatch),
    Attack(code: .attestationCredentialIDMismatch, variants: 3, play: credentialIDMismatch),
    Attack(code: .attestationCategoryMismatch, variants: 3, play: attestedCategoryMismatch),
  ]

  /// Lets the device continue now and then as if nothing had happened. Its key is untrusted.
  private static func goOn(_ scene: inout AttackScene, _ device: Device) throws(MintingError) {
    guard scene.random.once(in: 2) else { return }
    try scene.assert(device, at: scene.start + 45_000, counter: 1, finds: [.keyUntrusted])
  }

  private static func malformedAttestation(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    let junk = scene.random.bytes(24)
    try scene.attest(
      device, at: scene.start, finds: [.attestationMalformed],
      token: { MalformedTokens.attestation($0, variant: variant, junk: junk) })
    try goOn(&scene, device)
  }

  private static func otherFormat(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    try scene.attest(
      device, at: scene.start, finds: [.attestationFormat],
      recipe: { $0.format = ["packed", "apple", "Apple-AppAttest"][variant] })
    try goOn(&scene, device)
  }

  private static func untrustedChain(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    let chain = try ForeignChains.chain(variant, scene.authority, &scene.random, scene.tools)
    try scene.attest(
      device, at: scene.start, finds: [.attestationChainUntrusted],
      recipe: {
        $0.issuer = chain.issuer
        $0.chain = chain.certificates
        $0.tamperedLeaf = chain.tamperedLeaf
      })
    try goOn(&scene, device)
  }

  private static func certificateTime(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    let seconds = scene.start / 1000
    var expired: Certified?
    if variant == 3 {
      expired = try SyntheticAuthority.intermediate(
        "Synthetic App Attestation CA 0", .p384, under: scene.authority.root,
        flaws: .init(notAfter: seconds - 86_400 * 200), &scene.random, scene.tools)
    }
    try scene.attest(
      device, at: scene.start, finds: [.attestationCertificateTime],
      recipe: {
        switch variant {
        case 0: $0.notAfter = seconds - 1
        case 1: $0.notBefore = seconds + 1
        case 2:
          $0.notBefore = seconds - 86_400 * 40
          $0.notAfter = seconds - 86_400 * 37
        default:
          if let expired {
            $0.issuer = expired
            $0.chain = [expired.certificate]
          }
        }
      })
    try goOn(&scene, device)
  }

  private static func nonceMismatch(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    let other = scene.random.bytes(32)
    let data = scene.freshData(.attestation)
    // A token made for another challenge has another hash in its receipt as well.
    let finds: [FindingCode] =
      variant == 1
      ? [.attestationNonceMismatch, .attestationReceiptInvalid] : [.attestationNonceMismatch]
    try scene.attest(
      device, at: scene.start, data: data, finds: finds,
      recipe: {
        switch variant {
        case 0: $0.nonce = .other(other)
        case 1:
          $0.clientDataHash = other
          $0.receipt.clientHash = other
        case 2: $0.nonce = .absent
        case 3: $0.nonce = .other(data.hash)
        default: $0.nonce = .other(Array(other.prefix(31)))
        }
      })
    try goOn(&scene, device)
  }

  private static func keyIDMismatch(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    var device = try scene.device()
    let honest = device.id
    device.id = scene.random.bytes(32)
    try scene.attest(
      device, at: scene.start,
      finds: variant == 0
        ? [.attestationKeyIDMismatch]
        : [.attestationKeyIDMismatch, .attestationCredentialIDMismatch],
      recipe: {
        $0.leafSubject = honest
        if variant == 1 { $0.credentialID = honest }
      })
    try goOn(&scene, device)
  }

  private static func publicKeyMismatch(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    let other = try scene.device()
    try scene.attest(
      device, at: scene.start, finds: [.attestationPublicKeyMismatch],
      recipe: {
        switch variant {
        case 0: $0.cosePoint = other.point
        case 1: $0.cosePoint[64] ^= 1  // No point of the curve.
        default: $0.coseAlgorithm = -35
        }
      })
    try goOn(&scene, device)
  }

  private static func attestedAppMismatch(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device(app: .bank, system: .iOS17)
    try scene.attest(
      device, at: scene.start, finds: [.attestationAppIDMismatch],
      recipe: {
        switch variant {
        case 0, 1: $0.rpIDHash = SyntheticApp.stranger.rpIDHash
        case 2:
          $0.rpIDHash = SyntheticApp.stranger.rpIDHash
          $0.receipt.appID = SyntheticApp.stranger.id
        default: $0.rpIDHash = SyntheticApp.game.rpIDHash
        }
      },
      record: {
        switch variant {
        case 0, 3: $0.appID = SyntheticApp.bank.id
        case 1: $0.appID = nil
        default: $0.appID = SyntheticApp.stranger.id
        }
      })
  }

  private static func counterNonzero(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    try scene.attest(
      device, at: scene.start, finds: [.attestationCounterNonzero],
      recipe: { $0.counter = variant == 0 ? 1 : 0xFFFF_FFFF })
    try goOn(&scene, device)
  }

  private static func environmentMismatch(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device(app: .game)
    let noise = scene.random.bytes(16)
    try scene.attest(
      device, at: scene.start, finds: [.attestationEnvironmentMismatch],
      recipe: {
        switch variant {
        case 0:
          $0.aaguid = Device.development
          $0.receipt.environment = "sandbox"
        case 1: $0.aaguid = noise
        case 2: $0.aaguid = [UInt8](repeating: 0, count: 16)
        // Sixteen bytes count, not the first nine.
        default: $0.aaguid = Array("appattest".utf8) + [UInt8](repeating: 0, count: 6) + [1]
        }
      })
    try goOn(&scene, device)
  }

  private static func credentialIDMismatch(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    let other = scene.random.bytes(32)
    try scene.attest(
      device, at: scene.start, finds: [.attestationCredentialIDMismatch],
      recipe: {
        switch variant {
        case 0: $0.credentialID = other
        case 1: $0.credentialID = Array($0.credentialID.prefix(20))
        default: $0.credentialID += [0]
        }
      })
    try goOn(&scene, device)
  }

  private static func attestedCategoryMismatch(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device(app: .game, system: .iOS27)
    var noise = scene.random
    try scene.attest(
      device, at: scene.start, finds: [.attestationCategoryMismatch],
      recipe: {
        $0.extensionMap = device.extensionMap(
          bundleVersion: ["7.2", "6.0", "6.0"][variant], category: [3, 2, 5][variant], &noise)
      })
    // A policy is hurt, the key is good.
    try scene.assert(device, at: scene.start + 45_000, counter: 1)
  }
}
