import FindingCodes
internal import Minting

extension AttackCatalog {
  static let replayAttacks: [Attack] = [
    Attack(code: .replayAssertion, variants: 7, play: replayedAssertion),
    Attack(code: .replayAttestation, variants: 4, play: replayedAttestation),
    Attack(code: .replayCrossKey, variants: 3, needs: .freshRequests, play: crossKey),
    Attack(code: .replayClientDataHash, variants: 3, needs: .freshRequests, play: sameHash),
    Attack(code: .replayRetry, variants: 5, play: retry),
    Attack(
      code: .replayRetry, variants: 7, variantNeeds: [2: .subject, 3: .subject],
      play: retryBounds),
    Attack(code: .recordDuplicate, variants: 5, needs: .requestID, play: duplicate),
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

  private static func crossKey(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let data = scene.freshData(.assertion)
    let time = scene.start + 30_000
    if variant == 1 {
      let first = try scene.device()
      let second = try scene.device()
      try scene.attest(first, at: time, data: data)
      try scene.attest(
        second, at: time + 1_000, data: data, issued: false, finds: [.replayCrossKey])
      // One hash once for an attestation and once for an assertion is no finding.
      try scene.assert(first, at: time + 2_000, counter: 1, data: data, issued: false)
      return
    }
    let first = try scene.enrolled()
    let second = try scene.enrolled()
    try scene.assert(first, at: time, counter: 1, data: data)
    try scene.assert(
      second, at: time + 1_000, counter: 1, data: data, issued: false,
      finds: [.replayCrossKey])
    if variant == 2 {
      try scene.assert(
        first, at: time + 2_000, counter: 2, data: data, issued: false,
        finds: [.replayCrossKey])
    }
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

  private static func retry(_ scene: inout AttackScene, _ variant: Int) throws(MintingError) {
    if variant == 3 {
      let device = try scene.device()
      let first = try scene.attest(
        device, at: scene.start, finds: [.decisionRejectedValid],
        record: { $0.decision = .rejected })
      var second = again(first, after: 20_000, &scene.random)
      second.decision = .accepted
      scene.append(second, finds: [.replayRetry])
      return
    }
    let device = try scene.enrolled()
    let isRejected = variant < 2
    let first = try scene.assert(
      device, at: scene.start + 30_000, counter: 1,
      finds: isRejected ? [.decisionRejectedValid] : [],
      record: { $0.decision = isRejected ? .rejected : .accepted })
    let tolerance = AttackSettings.retryTolerance
    if variant == 1 {
      var second = again(first, after: 20_000, &scene.random)
      second.decision = .rejected
      scene.append(second, finds: [.replayRetry, .decisionRejectedValid])
    } else if variant == 4 {
      // A retry within the tolerance, and the same once more after it.
      scene.append(again(first, after: tolerance + 1, &scene.random), finds: [.replayAssertion])
    }
    let delay = isRejected ? 40_000 : tolerance
    var last = again(first, after: delay, &scene.random)
    last.decision = .accepted
    scene.append(last, finds: [.replayRetry])
  }

  /// The default of `detect.rejectedRetry`.
  private static let rejectedRetry: Int64 = 600_000

  /// Plays retries of a rejected request, and requests that are no such retries any more.
  private static func retryBounds(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    var device = try scene.device()
    device.subject = nil
    let start = scene.start + 30_000
    if variant == 4 {
      // An attestation that comes again too late.
      let first = try scene.attest(
        device, at: start, finds: [.decisionRejectedValid],
        record: { $0.decision = .rejected })
      retry(first, after: rejectedRetry + 1, .accepted, finds: [.replayAttestation], in: &scene)
      return
    }
    try scene.attest(device, at: scene.start)
    let first = try scene.assert(
      device, at: start, counter: 1, finds: [.decisionRejectedValid],
      record: {
        $0.decision = .rejected
        $0.subject = variant == 2 || variant == 3 ? "owner" : nil
      })
    switch variant {
    case 0: retry(first, after: rejectedRetry, .accepted, finds: [.replayRetry], in: &scene)
    case 1:
      retry(first, after: rejectedRetry + 1, .accepted, finds: [.replayAssertion], in: &scene)
    case 2:
      retry(
        first, after: 60_000, .accepted, subject: "thief",
        finds: [.replayAssertion, .keySubjectChanged], in: &scene)
    case 3: retry(first, after: 60_000, .accepted, finds: [.replayRetry], in: &scene)
    case 5:
      // Once it was accepted, it is used up.
      retry(first, after: 60_000, .accepted, finds: [.replayRetry], in: &scene)
      retry(first, after: 120_000, .accepted, finds: [.replayAssertion], in: &scene)
    default:
      // The first of all counts, not the last.
      retry(
        first, after: 400_000, .rejected, finds: [.replayRetry, .decisionRejectedValid],
        in: &scene)
      retry(first, after: 800_000, .accepted, finds: [.replayAssertion], in: &scene)
    }
    try scene.assert(device, at: start + 900_000, counter: 2)
  }

  /// Logs `record` again, with its challenge issued once more.
  private static func retry(
    _ record: LogRecord, after delay: Int64, _ decision: LogRecord.Decision,
    subject: String? = nil, finds: [FindingCode], in scene: inout AttackScene
  ) {
    var again = again(record, after: delay, &scene.random)
    again.decision = decision
    again.subject = subject
    scene.issue(record.data, for: record.kind, at: again.time - 1_000)
    scene.append(again, finds: finds)
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
