import FindingCodes
internal import Minting

extension AttackCatalog {
  static let replayAttacks: [Attack] =
    [
      Attack(code: .replayAssertion, variants: 7, play: replayedAssertion),
      Attack(code: .replayAttestation, variants: 4, play: replayedAttestation),
    ]
    + SceneText.attacks("cross keys") + [
      Attack(code: .replayClientDataHash, variants: 3, needs: .freshRequests, play: sameHash)
    ]
    + SceneText.attacks("retries") + [
      Attack(code: .recordDuplicate, variants: 5, needs: .requestID, play: duplicate)
    ]

  /// Returns `record` again, as another request.
  static func again(
    _ record: LogRecord, after delay: Int64, _ random: inout ForgeRandom
  ) -> LogRecord {
    var again = record
    again.time += delay
    again.requestID = TrafficRenderer.requestID(&random)
    again.decision = random.once(in: 2) ? .accepted : nil
    return again
  }

  /// Returns `code`, and the further codes of a challenge that comes again after hours.
  static func late(
    _ scene: borrowing AttackScene, _ kind: LogRecord.Kind, _ code: FindingCode
  ) -> [FindingCode] {
    let isExpired =
      scene.options.attacks.contains(.challengeExpired) && scene.options.writesChallenges(for: kind)
    return isExpired ? [code, .challengeExpired] : [code]
  }

  private static func replayedAssertion(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.enrolled()
    let data = scene.freshData(.assertion)
    let assertion = try device.assertion(
      counter: 1, clientDataHash: data.hash, &scene.random, scene.tools)
    let first = scene.log(
      assertion.token, of: device, at: scene.start + 30_000, data: data, finds: [],
      record: { $0.requestID = "req-first-\(device.stream)" })
    // Within the tolerance, one request identifier in two inputs would be one request.
    var second = again(first, after: AttackSettings.reorderTolerance + 10_000, &scene.random)
    var finds: [FindingCode] = [.replayAssertion]
    switch variant {
    case 1:
      // The other s is as good.
      var other = assertion
      other.s = try scene.tools.p256.negated(assertion.s)
      second.token = other.token
    case 2: second.token = assertion.respelledToken(&scene.random)
    case 3:
      second.time = first.time + 14_400_000
      finds = late(scene, .assertion, .replayAssertion)
    case 4:
      scene.append(again(first, after: 40_000, &scene.random), finds: [.replayAssertion])
    case 5: second.requestID = first.requestID
    case 6:
      // Two requests in one millisecond.
      second.time = first.time
      second.decision = .accepted
      if scene.options.attacks.contains(.replayRetry) { finds = [.replayRetry] }
    default: break
    }
    if variant == 6 {
      // The later of the two lines is the one that comes again.
      scene.lines[scene.lines.count - 1].server = 0
      scene.append(second, finds: finds, server: 1)
      scene.append(again(first, after: 40_000, &scene.random), finds: [.replayAssertion])
    } else {
      scene.append(second, finds: finds)
    }
    try scene.assert(device, at: scene.start + 90_000, counter: 2)
  }

  private static func replayedAttestation(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    let data = scene.freshData(.attestation)
    scene.issue(data, for: .attestation, at: scene.start - 5_000)
    var recipe = device.attestation(
      at: scene.start, clientDataHash: data.hash, authority: scene.authority, &scene.random)
    recipe.notAfter = recipe.notBefore + 30 * 86_400
    let parts = try AttestationMint.mint(recipe, scene.tools)
    var first = LogRecord(
      kind: .attestation, time: scene.start, keyID: device.id, token: parts.token, data: data)
    TrafficRenderer.dress(&first, of: device, &scene.random)
    scene.append(first, finds: [])
    var second = again(first, after: 60_000, &scene.random)
    var finds: [FindingCode] = [.replayAttestation]
    switch variant {
    case 1: second.token = parts.respelledToken
    case 2:
      // Another certificate of the same authority for the same authenticator data.
      recipe.leafSerial[5] ^= 1
      second.token = try AttestationMint.mint(recipe, scene.tools).token
    case 3:
      second.time = first.time + 14_400_000
      finds = late(scene, .attestation, .replayAttestation)
    default: break
    }
    scene.append(second, finds: finds)
    try scene.assert(device, at: scene.start + 90_000, counter: 1)
  }

  private static func sameHash(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let data = scene.freshData(.assertion)
    let time = scene.start + 30_000
    if variant == 1 {
      // A further attestation over the same hash: no re-attestation, since it proves nothing new.
      let device = try scene.device(app: .bank, system: .iOS17)
      try scene.attest(device, at: time, data: data)
      var noise = scene.random
      try scene.attest(
        device, at: time + 60_000, data: data, issued: false, finds: [.replayClientDataHash],
        recipe: {
          $0.extensionMap = device.extensionMap(bundleVersion: "1.1", category: 4, &noise)
        })
      return
    }
    let device = try scene.enrolled()
    let assertion = try device.assertion(
      counter: 1, clientDataHash: data.hash, &scene.random, scene.tools)
    scene.log(assertion.token, of: device, at: time, data: data, finds: [])
    if variant == 0 {
      try scene.assert(
        device, at: time + 10_000, counter: 2, data: data, issued: false,
        finds: [.replayClientDataHash])
    } else {
      // Signed a second time over the very same bytes.
      let other = try device.sign(
        assertion.authenticatorData, clientDataHash: data.hash, salt: 1, scene.tools)
      scene.log(
        other.token, of: device, at: time + 10_000, data: data, issued: false,
        finds: [.replayClientDataHash, .counterRepeated])
    }
  }

  private static func duplicate(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    let request = "req-twice-\(device.stream)"
    var record = try scene.attest(
      device, at: scene.start,
      record: {
        $0.requestID = request
        $0.decision = .accepted
      })
    if variant != 2 {
      record = try scene.assert(
        device, at: scene.start + 30_000, counter: 1,
        record: {
          $0.requestID = request
          $0.decision = .accepted
        })
    }
    let last = scene.lines.count - 1
    scene.lines[last].server = 0
    switch variant {
    case 0:
      scene.append(scene.lines[last].bytes, at: record.time, finds: [.recordDuplicate], server: 0)
    // Two servers log one request.
    case 3: scene.append(record, finds: [.recordDuplicate], server: 1)
    case 4:
      scene.append(record, finds: [.recordDuplicate], server: 0)
      scene.append(record, finds: [.recordDuplicate], server: 1)
    default: scene.append(record, finds: [.recordDuplicate], server: 0)
    }
  }
}
