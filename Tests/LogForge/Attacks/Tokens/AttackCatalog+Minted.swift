import FindingCodes
internal import Minting

extension AttackCatalog {
  /// Lines by which a client would issue challenges to itself.
  static let mintedAttacks: [Attack] = [
    Attack(code: .recordMissingField, variants: 4, needs: .freeSpelling, play: mintedChallenge),
    Attack(
      code: .challengeNotIssued, variants: 3, needs: [.challengeRecords, .freeSpelling],
      play: unsaidChallenge),
  ]

  /// Plays a request body that lost its token. It is no challenge.
  private static func mintedChallenge(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    let data = scene.freshData(.attestation)
    var body = JSONLine()
    body.add("time", text: CalendarTime.rfc3339(scene.start - 20_000))
    if variant != 2 { body.add("platform", text: "ios") }
    body.add("keyId", ascii: TextCode.base64.encode(device.id))
    body.add("challenge", ascii: data.bytes ?? [])
    if variant == 1 { body.add("token", raw: "null") }
    if variant == 3 { body.add("Token", text: "oWA=") }
    body.add("decision", text: LogRecord.Decision.rejected.rawValue)
    scene.append(body, at: scene.start - 20_000, finds: [.recordMissingField])
    try scene.attest(
      device, at: scene.start, data: data, issued: false,
      finds: scene.options.requiresChallenges ? [.challengeNotIssued] : [])
    try scene.assert(device, at: scene.start + 60_000, counter: 1)
  }

  /// Plays records without a kind. If challenges are required, only a record with its kind issues
  /// one.
  private static func unsaidChallenge(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.enrolled()
    let time = scene.start + 60_000
    let ttl = AttackSettings.challengeTTL
    let data = scene.freshData(.assertion)
    switch variant {
    case 0:
      scene.mint(data, at: time - 10_000)
      try scene.assert(
        device, at: time, counter: 1, data: data, issued: false, finds: [.challengeNotIssued])
    case 1:
      // A minted line does not renew an issued challenge.
      scene.issue(data, for: .assertion, at: time - 2 * ttl)
      scene.mint(data, at: time - 10_000)
      try scene.assert(
        device, at: time, counter: 1, data: data, issued: false,
        finds: scene.options.attacks.contains(.challengeExpired) ? [.challengeExpired] : [])
      try scene.assert(
        device, at: time + 1_000, counter: 2, issued: false, finds: [.challengeNotIssued])
    default:
      // A token that is null counts as absent: this line issues a challenge.
      scene.mint(data, at: time - 10_000) {
        $0.add("kind", text: LogRecord.Kind.challenge.rawValue)
        $0.add("token", raw: "null")
      }
      try scene.assert(device, at: time, counter: 1, data: data, issued: false)
      try scene.assert(
        device, at: time + 1_000, counter: 2, issued: false, finds: [.challengeNotIssued])
    }
  }
}

extension AttackScene {
  /// Logs a line that reads as an issued challenge, without its kind.
  mutating func mint(
    _ data: ClientData, at time: Int64, edit: (inout JSONLine) -> Void = { _ in }
  ) {
    var line = JSONLine()
    line.add("time", text: CalendarTime.rfc3339(time))
    line.add("challenge", ascii: data.bytes ?? [])
    edit(&line)
    append(line, at: time, finds: [])
  }
}
