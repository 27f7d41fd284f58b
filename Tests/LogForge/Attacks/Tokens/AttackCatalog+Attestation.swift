import FindingCodes
internal import Minting

extension AttackCatalog {
  static let attestationAttacks: [Attack] = [
    Attack(code: .attestationMalformed, variants: 16, play: malformedAttestation),
    flawed(
      .attestationFormat,
      ["packed", "apple", "Apple-AppAttest"].map { format in { recipe, _ in recipe.format = format }
      }),
    Attack(code: .attestationChainUntrusted, variants: 9, play: untrustedChain),
    Attack(code: .attestationCertificateTime, variants: 4, play: certificateTime),
    flawed(
      .attestationNonceMismatch, noise: { $0.random.bytes(32) },
      [
        { $0.nonce = .other($1) },
        // A token made for another challenge has another hash in its receipt as well.
        {
          $0.clientDataHash = $1
          $0.receipt.clientHash = $1
        },
        { recipe, _ in recipe.nonce = .absent },
        { recipe, _ in recipe.nonce = .other(recipe.clientDataHash) },
        { $0.nonce = .other(Array($1.prefix(31))) },
      ], more: [1: [.attestationReceiptInvalid]]),
    Attack(code: .attestationKeyIDMismatch, variants: 2, play: keyIDMismatch),
    flawed(
      .attestationPublicKeyMismatch,
      noise: { (scene) throws(MintingError) in try scene.device().point },
      [
        { $0.cosePoint = $1 },
        { recipe, _ in recipe.cosePoint[64] ^= 1 },  // No point of the curve.
        { recipe, _ in recipe.coseAlgorithm = -35 },
      ]),
    Attack(
      code: .attestationAppIDMismatch, variants: 4, variantNeeds: [3: .appID],
      play: attestedAppMismatch),
    flawed(
      .attestationCounterNonzero,
      [1, 0xFFFF_FFFF].map { counter in { recipe, _ in recipe.counter = counter } }),
    flawed(
      .attestationEnvironmentMismatch, app: .game, noise: { $0.random.bytes(16) },
      [
        { recipe, _ in
          recipe.aaguid = Device.development
          recipe.receipt.environment = "sandbox"
        },
        { $0.aaguid = $1 },
        { recipe, _ in recipe.aaguid = [UInt8](repeating: 0, count: 16) },
        // Sixteen bytes count, not the first nine.
        { recipe, _ in recipe.aaguid = Device.production.dropLast() + [1] },
      ]),
    flawed(
      .attestationCredentialIDMismatch, noise: { $0.random.bytes(32) },
      [
        { $0.credentialID = $1 },
        { recipe, _ in recipe.credentialID = Array(recipe.credentialID.prefix(20)) },
        { recipe, _ in recipe.credentialID += [0] },
      ]),
    Attack(code: .attestationCategoryMismatch, variants: 3, play: attestedCategoryMismatch),
  ]

  /// Returns an attack whose variants change a recipe, most of them with bytes that are drawn before.
  private static func flawed(
    _ code: FindingCode, app: SyntheticApp? = nil,
    noise: @escaping @Sendable (inout AttackScene) throws(MintingError) -> [UInt8] = { _ in [] },
    _ edits: [@Sendable (inout AttestationRecipe, [UInt8]) -> Void],
    more: [Int: [FindingCode]] = [:]
  ) -> Attack {
    Attack(
      code: code, variants: edits.count,
      play: { (scene, variant) throws(MintingError) in
        let device = try scene.device(app: app)
        let noise = try noise(&scene)
        try scene.attest(
          device, at: scene.start, finds: [code] + (more[variant] ?? []),
          recipe: { edits[variant](&$0, noise) })
        try goOn(&scene, device)
      })
  }

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
