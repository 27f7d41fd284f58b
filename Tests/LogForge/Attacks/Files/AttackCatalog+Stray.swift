import FindingCodes
internal import Minting

extension AttackCatalog {
  /// Requests that the log's schema skips although they hold tokens.
  static let strayAttacks: [Attack] = [
    Attack(
      code: .recordNotAudited, variants: StrayPlace.allCases.count + 1, play: strayTokens),
    flaws(.recordNotAudited),
  ]

  private static func strayTokens(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    guard variant < StrayPlace.allCases.count else { return try manyStrays(&scene, device) }
    let place = StrayPlace.allCases[variant]
    let tag = "s\(scene.number)"
    // One finding for each shape, however many lines there are.
    for step in 0..<4 {
      let time = scene.start + Int64(step) * 20_000
      let record = try strayRecord(&scene, device, isAttestation: step == 2, at: time)
      scene.appendStray(scene.form.stray(record, place, tag: tag), at: time)
    }
    let other = try strayRecord(&scene, device, isAttestation: true, at: scene.start + 90_000)
    let next = StrayPlace.allCases[(variant + 1) % StrayPlace.allCases.count]
    scene.appendStray(scene.form.stray(other, next, tag: tag + "-2"), at: other.time)
  }

  private static func strayRecord(
    _ scene: inout AttackScene, _ device: Device, isAttestation: Bool, at time: Int64
  ) throws(MintingError) -> LogRecord {
    try isAttestation
      ? scene.attestation(of: device, at: time, issued: false)
      : scene.assertion(of: device, at: time, counter: 1)
  }

  /// Logs more shapes than are reported one by one.
  private static func manyStrays(_ scene: inout AttackScene, _ device: Device)
    throws(MintingError)
  {
    let record = try strayRecord(&scene, device, isAttestation: false, at: scene.start)
    for number in 0..<ReportedShapes.limit + 4 {
      let time = scene.start + Int64(number) * 10
      var line = scene.form.stray(record, .renamed, tag: "s\(scene.number)-\(number)")
      line.add("n\(number)", raw: "true")
      scene.appendStray(line, at: time, server: 0)
    }
  }
}
