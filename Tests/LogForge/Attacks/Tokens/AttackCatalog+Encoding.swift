import FindingCodes
internal import Minting

extension AttackCatalog {
  /// Records whose base64 one server accepts and another refuses. All are audited.
  static let encodingAttacks: [Attack] = [
    Attack(code: .recordOddEncoding, variants: OddBase64.allCases.count, play: oddTokens),
    Attack(code: .recordOddEncoding, variants: OddBase64.allCases.count, play: oddKeys),
    Attack(code: .recordOddEncoding, variants: dataWays.count, needs: .hash, play: oddData),
  ]

  /// A space in front of bytes of any length may be a plus sign.
  private static let dataWays = OddBase64.allCases.filter { $0 != .leadingSpace }

  private static func oddTokens(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let way = OddBase64.allCases[variant]
    var dice = scene.random
    let device = try scene.device()
    try scene.attest(
      device, at: scene.start, finds: [.recordOddEncoding],
      record: { $0.tokenText = way.encode($0.token, &dice) })
    let honest = try scene.assert(
      device, at: scene.start + 30_000, counter: 1, record: { $0.decision = .accepted })
    try scene.assert(
      device, at: scene.start + 60_000, counter: 2, finds: [.recordOddEncoding],
      record: { $0.tokenText = way.encode($0.token, &dice) })
    // No spelling hides a replay, nor a malformed token.
    var again = honest
    again.time += 60_000
    again.requestID = TrafficRenderer.requestID(&scene.random)
    again.tokenText = scene.odd(honest.token, way)
    scene.append(again, finds: [.recordOddEncoding, .replayAssertion])
    let junk = scene.random.bytes(24)
    try scene.assert(
      device, at: scene.start + 120_000, counter: 3,
      finds: [.recordOddEncoding, .assertionMalformed],
      token: { MalformedTokens.assertion($0, variant: 12, junk: junk) },
      record: { $0.tokenText = way.encode($0.token, &dice) })
    try scene.assert(device, at: scene.start + 180_000, counter: 3)
  }

  private static func oddKeys(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let way = OddBase64.allCases[variant]
    var dice = scene.random
    let device = try scene.device()
    try scene.attest(
      device, at: scene.start, finds: [.recordOddEncoding],
      record: { $0.keyText = way.encode($0.keyID, &dice) })
    guard !scene.form.traits.contains(.deviceJoin) else { return }
    // Once a record, however much of it is odd.
    try scene.assert(
      device, at: scene.start + 30_000, counter: 1, finds: [.recordOddEncoding],
      record: {
        $0.keyText = way.encode($0.keyID, &dice)
        $0.tokenText = way.encode($0.token, &dice)
      })
    try scene.assert(
      device, at: scene.start + 60_000, counter: 1,
      finds: [.recordOddEncoding, .counterRepeated],
      record: { $0.keyText = way.encode($0.keyID, &dice) })
  }

  private static func oddData(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let way = dataWays[variant]
    let device = try scene.enrolled()
    for (place, field) in ["clientData", "clientDataHash"].enumerated() {
      let time = scene.start + 30_000 * Int64(place + 1)
      let record = try scene.assertion(of: device, at: time, counter: UInt32(place + 1))
      var line = scene.line(record)
      let bytes = place == 0 ? record.data.bytes ?? [] : record.data.hash
      line.remove(field)
      line.add(field, ascii: scene.odd(bytes, way))
      scene.append(line, at: time, finds: [.recordOddEncoding])
    }
  }
}

extension AttackScene {
  /// Returns `bytes` as base64 that only lenient readers accept.
  mutating func odd(_ bytes: [UInt8], _ way: OddBase64) -> [UInt8] { way.encode(bytes, &random) }
}
