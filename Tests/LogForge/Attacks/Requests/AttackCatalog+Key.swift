import FindingCodes
internal import Minting

extension AttackCatalog {
  static let keyAttacks: [Attack] = [
    Attack(code: .keyUnknown, variants: 3, play: unknownKey),
    Attack(code: .keyUntrusted, variants: 4, play: untrustedKey),
    Attack(code: .keyUsedBeforeAttestation, variants: 3, play: usedBeforeAttestation),
    Attack(code: .keyReattested, variants: 3, play: reattested),
    Attack(code: .keyUsedBeforeAttestation, variants: 2, play: usedBeforeValidAttestation),
    Attack(code: .keySubjectChanged, variants: 4, needs: .subject, play: subjectChanged),
    Attack(
      code: .decisionRejectedValid, variants: 4, variantNeeds: [3: .freshRequests],
      play: rejectedValid),
  ]

  private static func unknownKey(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    // Logged out of order: the first assertion is the earliest one.
    if variant > 0 { try scene.assert(device, at: scene.start + 60_000, counter: 2) }
    let first = try scene.assert(
      device, at: scene.start, counter: 1, finds: [.keyUnknown],
      record: { $0.decision = .accepted })
    if variant == 2 {
      // Requests that cannot be verified can be seen to come again.
      var again = first
      again.time += 20_000
      again.requestID = TrafficRenderer.requestID(&scene.random)
      scene.append(again, finds: [.replayAssertion])
    }
  }

  private static func untrustedKey(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    let nonce = scene.random.bytes(32)
    if variant == 1 {
      try scene.attest(
        device, at: scene.start, finds: [.attestationMalformed], token: { $0.token + [0xF6] })
    } else {
      try scene.attest(
        device, at: scene.start, finds: [.attestationNonceMismatch],
        recipe: { $0.nonce = .other(nonce) })
    }
    if variant == 3 {
      // A good attestation makes up for a bad one.
      try scene.attest(device, at: scene.start + 600_000)
      try scene.assert(device, at: scene.start + 660_000, counter: 1)
      let other = try scene.device()
      try scene.attest(
        other, at: scene.start, finds: [.attestationNonceMismatch],
        recipe: { $0.nonce = .other(nonce) })
      try scene.assert(other, at: scene.start + 60_000, counter: 1, finds: [.keyUntrusted])
      return
    }
    let first: Int64 = variant == 2 ? -3_600_000 : 60_000
    try scene.assert(
      device, at: scene.start + first, counter: 1, finds: [.keyUntrusted],
      record: { $0.decision = .accepted })
    try scene.assert(device, at: scene.start + 120_000, counter: 2)
  }

  private static func usedBeforeAttestation(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let tolerance = AttackSettings.reorderTolerance
    let device = try scene.device()
    if variant == 2 {
      scene.knownKeys.append(
        KnownKeyRow(
          device: device, attestedAt: scene.start, lastCounter: nil,
          namesDevice: scene.form.traits.contains(.deviceJoin)))
    } else {
      try scene.attest(device, at: scene.start)
    }
    let early: Int64 = variant == 0 ? 600_000 : tolerance + 1
    try scene.assert(
      device, at: scene.start - early, counter: 1, finds: [.keyUsedBeforeAttestation])
    try scene.assert(device, at: scene.start - tolerance, counter: 2)
    try scene.assert(device, at: scene.start + 60_000, counter: 3)
  }

  /// Plays a key that is used before its first valid attestation. Every assertion that parses
  /// counts.
  private static func usedBeforeValidAttestation(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    let nonce = scene.random.bytes(32)
    if variant == 0 {
      try scene.attest(
        device, at: scene.start, finds: [.attestationNonceMismatch],
        recipe: { $0.nonce = .other(nonce) })
    } else {
      let data = scene.freshData(.assertion)
      var forged = try device.assertion(
        counter: 1, clientDataHash: data.hash, &scene.random, scene.tools)
      forged.s[31] ^= 1
      scene.log(
        forged.token, of: device, at: scene.start + 30_000, data: data,
        finds: [.keyUsedBeforeAttestation, .assertionSignatureInvalid])
    }
    try scene.assert(
      device, at: scene.start + 60_000, counter: 1, finds: [.keyUsedBeforeAttestation])
    try scene.attest(device, at: scene.start + 600_000)
    try scene.assert(device, at: scene.start + 660_000, counter: 2)
  }

  private static func reattested(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    // The first attestation in the logs of a key that was known before is no re-attestation.
    let device = try variant == 2 ? imported(&scene) : scene.enrolled()
    if variant == 2 { try scene.attest(device, at: scene.start) }
    let counter: UInt32 = variant == 2 ? 51 : 1
    try scene.assert(device, at: scene.start + 60_000, counter: counter)
    try scene.attest(device, at: scene.start + 3_600_000, finds: [.keyReattested])
    if variant == 1 {
      try scene.attest(device, at: scene.start + 3_700_000, finds: [.keyReattested])
    }
    try scene.assert(device, at: scene.start + 3_800_000, counter: counter + 1)
  }

  private static func subjectChanged(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    var device = try scene.device()
    device.subject = nil
    let tag = scene.random.below(1_000_000_000)
    let owner = "owner-\(tag)"
    let thief = "thief-\(tag)"
    try scene.attest(
      device, at: scene.start,
      record: { $0.subject = variant == 1 || variant == 3 ? nil : owner })
    if variant == 3 {
      // A request that did not verify neither sets a subject nor shows another.
      for after in [30_000, 90_000] as [Int64] {
        try forged(&scene, device, at: scene.start + after, subject: "nobody-\(tag)")
      }
    }
    try scene.assert(
      device, at: scene.start + 60_000, counter: 1, record: { $0.subject = owner })
    try scene.assert(
      device, at: scene.start + 120_000, counter: 2, finds: [.keySubjectChanged],
      record: { $0.subject = thief })
    if variant == 2 {
      // The number and its digits are one subject.
      try scene.assert(
        device, at: scene.start + 150_000, counter: 3, finds: [.keySubjectChanged],
        record: { $0.subject = "4711" })
    }
    try scene.assert(
      device, at: scene.start + 180_000, counter: 4, record: { $0.subject = owner })
    try scene.assert(
      device, at: scene.start + 240_000, counter: 5, record: { $0.subject = nil })
  }

  /// Logs an assertion whose signature does not hold.
  private static func forged(
    _ scene: inout AttackScene, _ device: Device, at time: Int64, subject: String
  ) throws(MintingError) {
    let data = scene.freshData(.assertion)
    var assertion = try device.assertion(
      counter: 1, clientDataHash: data.hash, &scene.random, scene.tools)
    assertion.s[31] ^= 1
    scene.log(
      assertion.token, of: device, at: time, data: data, finds: [.assertionSignatureInvalid],
      record: { $0.subject = subject })
  }

  private static func rejectedValid(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    if variant == 1 {
      let device = try scene.device()
      try scene.attest(
        device, at: scene.start, finds: [.decisionRejectedValid],
        record: { $0.decision = .rejected })
      try scene.assert(device, at: scene.start + 60_000, counter: 1)
      return
    }
    let device = try scene.enrolled()
    if variant == 2 {
      try scene.assert(device, at: scene.start + 60_000, counter: 2)
      try scene.assert(
        device, at: scene.start + 61_000, counter: 1,
        finds: [.counterReordered, .decisionRejectedValid],
        record: { $0.decision = .rejected })
    } else if variant == 3 {
      let data = ClientData(bytes: weakText(&scene.random, 15))
      scene.issue(data, for: .assertion, at: scene.start + 59_000, finds: [.challengeWeak])
      try scene.assert(
        device, at: scene.start + 60_000, counter: 1, data: data, issued: false,
        finds: [.challengeWeak, .decisionRejectedValid], record: { $0.decision = .rejected })
    } else {
      try scene.assert(
        device, at: scene.start + 60_000, counter: 1, finds: [.decisionRejectedValid],
        record: { $0.decision = .rejected })
    }
  }

  /// Returns ASCII text of `count` bytes.
  static func weakText(_ random: inout ForgeRandom, _ count: Int) -> [UInt8] {
    Array(TextCode.base64URL.encode(random.bytes(count)).prefix(count))
  }
}
