import FindingCodes
internal import Minting

extension AttackCatalog {
  static let replayAttacks: [Attack] =
    [
      Attack(code: .replayAssertion, variants: 7, play: replayedAssertion),
      Attack(code: .replayAttestation, variants: 4, play: replayedAttestation),
    ]
    + SceneText.attacks("cross keys") + SceneText.attacks("retries")

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
}
