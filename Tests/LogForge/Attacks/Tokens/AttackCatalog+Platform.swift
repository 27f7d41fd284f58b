import FindingCodes
internal import Minting

extension AttackCatalog {
  static let platformAttacks: [Attack] = [
    Attack(code: .recordPlatformMismatch, variants: 3, needs: .platform, play: otherPlatform),
    Attack(code: .recordPlatformMismatch, variants: 8, needs: .platform, play: platformLie),
  ]

  /// The tag 55799, which states that CBOR follows (RFC 8949, section 3.4.6).
  private static let selfDescribed: [UInt8] = [0xD9, 0xD9, 0xF7]

  /// Returns an assertion of `device` with counter 1.
  private static func request(
    _ scene: inout AttackScene, _ device: Device, edit: (Assertion) -> [UInt8] = { $0.token }
  ) throws(MintingError) -> LogRecord {
    try scene.assertion(of: device, at: scene.start + 30_000, counter: 1, token: edit)
  }

  /// Logs `record` as one of another platform, or another format, or both.
  private static func lie(
    _ record: LogRecord, _ choice: Int, finds: [FindingCode], in scene: inout AttackScene
  ) {
    var line = scene.line(record)
    line.remove("platform")
    line.remove("format")
    if choice % 3 != 1 { line.add("platform", text: "android") }
    if choice % 3 != 0 { line.add("format", text: "play-integrity") }
    scene.append(line, at: record.time, finds: finds)
  }

  private static func otherPlatform(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let record = try request(&scene, scene.enrolled())
    lie(record, variant, finds: [.recordPlatformMismatch], in: &scene)
  }

  /// Plays requests that a client passed off as another platform's, and real ones of another
  /// platform.
  private static func platformLie(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let choice = scene.random.below(3)
    let device = try scene.enrolled()
    switch variant {
    case 0, 1:
      // An accepted replay in base64 that a strict reader refuses.
      var record = try request(&scene, device)
      record.decision = .accepted
      scene.append(record, finds: [])
      record.time += 20_000
      record.requestID = TrafficRenderer.requestID(&scene.random)
      record.tokenText = scene.odd(record.token, scene.random.pick(OddBase64.allCases))
      lie(
        record, choice,
        finds: [.recordPlatformMismatch, .recordOddEncoding, .replayAssertion], in: &scene)
    case 2:
      // An accepted replay in the tag that only announces CBOR, and the same in another tag.
      var record = try request(&scene, device)
      record.decision = .accepted
      scene.append(record, finds: [])
      let token = record.token
      record.time += 20_000
      record.requestID = TrafficRenderer.requestID(&scene.random)
      record.token = selfDescribed + (scene.random.once(in: 2) ? selfDescribed : []) + token
      let finds: [FindingCode] = [
        .recordPlatformMismatch, .recordOddEncoding, .replayAssertion,
      ]
      lie(record, choice, finds: finds, in: &scene)
      record.time += 20_000
      record.requestID = TrafficRenderer.requestID(&scene.random)
      record.token = [0xC1] + token
      lie(record, choice, finds: finds, in: &scene)
    case 3:
      // Neither name is in the bytes in one piece.
      let record = try request(
        &scene, device,
        edit: {
          CBORWriter.openMap([
            (
              CBORWriter.chunkedText("authenticatorData", chunk: 5),
              CBORWriter.bytes($0.authenticatorData)
            ),
            (CBORWriter.chunkedText("signature", chunk: 4), CBORWriter.bytes($0.signature)),
          ])
        })
      lie(record, choice, finds: [.recordPlatformMismatch], in: &scene)
    case 4:
      try attestedElsewhere(&scene, choice)
    case 5:
      // No CBOR, but one of the names is in it.
      let noise = scene.random.bytes(20)
      let record = try request(
        &scene, device, edit: { _ in [0x7F] + noise + Array("authData".utf8) + noise })
      lie(record, choice, finds: [.recordPlatformMismatch, .assertionMalformed], in: &scene)
    case 6:
      // One character too many: the token can be recognized, but not decoded.
      var record = try request(&scene, device)
      record.tokenText = overlong(record.token)
      lie(record, choice, finds: [.recordBadEncoding], in: &scene)
    default:
      try otherTokens(&scene, choice, device)
    }
  }

  private static func attestedElsewhere(_ scene: inout AttackScene, _ choice: Int)
    throws(MintingError)
  {
    let nonce = scene.random.bytes(32)
    for isTagged in [false, true] {
      let time = scene.start + (isTagged ? 60_000 : 30_000)
      let record = try scene.attestation(
        of: scene.device(), at: time, recipe: { $0.nonce = .other(nonce) },
        token: { (isTagged ? selfDescribed : []) + $0.token })
      lie(
        record, choice,
        finds: [.recordPlatformMismatch, .attestationNonceMismatch]
          + (isTagged ? [.recordOddEncoding] : []), in: &scene)
    }
  }

  /// Plays tokens that are definitely something else. Their records are another platform's, and
  /// nothing is found in them.
  private static func otherTokens(
    _ scene: inout AttackScene, _ choice: Int, _ device: Device
  ) throws(MintingError) {
    let map = CBORWriter.map([
      (CBORWriter.text("authenticator"), CBORWriter.bytes(scene.random.bytes(40))),
      (CBORWriter.text("auth"), CBORWriter.text("Data")),
    ])
    for (place, token) in [map, selfDescribed + map, scene.random.bytes(90), []].enumerated() {
      var record = try request(&scene, device, edit: { _ in token })
      record.time += Int64(place) * 1_000
      if place == 2 { record.tokenText = scene.odd(token, .foreignMark) }
      lie(record, choice, finds: [], in: &scene)
    }
    lie(try request(&scene, device), choice, finds: [.recordPlatformMismatch], in: &scene)
  }

  /// Returns base64 with a single character left over.
  static func overlong(_ bytes: [UInt8]) -> [UInt8] {
    var text = TextCode.base64Unpadded.encode(bytes)
    repeat { text.append(0x41) } while text.count % 4 != 1
    return text
  }
}
