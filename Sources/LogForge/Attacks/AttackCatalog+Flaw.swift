internal import OpenSSL

extension AttackCatalog {
  /// Broken records of the forms that list how theirs break: all of them at once, since each is one
  /// line.
  static let flawAttacks: [Attack] = [
    Attack(
      code: .recordMissingField, variants: 1, needs: .ownFields,
      play: { (scene, _) throws(MintingError) in
        try play(.recordMissingField, &scene)
        try play(nil, &scene)
      }),
    Attack(
      code: .recordBadEncoding, variants: 1, needs: .ownFields,
      play: { (scene, _) throws(MintingError) in try play(.recordBadEncoding, &scene) }),
    Attack(
      code: .recordAmbiguousField, variants: 1, needs: .ownFields,
      play: { (scene, _) throws(MintingError) in try play(.recordAmbiguousField, &scene) }),
  ]

  /// Logs a line for each flaw with this code. Its device is attested nowhere: were a line read as
  /// a record after all, more would be found.
  private static func play(_ code: ForgedCode?, _ scene: inout AttackScene) throws(MintingError) {
    let device = try scene.device()
    for (number, flaw) in scene.form.flaws.filter({ $0.code == code }).enumerated() {
      let data = scene.freshData(flaw.kind)
      let assertion = try device.assertion(
        counter: UInt32(number + 1), clientDataHash: data.hash, &scene.random, scene.tools)
      var record = LogRecord(
        kind: flaw.kind, time: scene.start + Int64(number) * 1_000, keyID: device.id,
        token: assertion.token, data: data)
      TrafficRenderer.dress(&record, of: device, &scene.random)
      var line = scene.line(record)
      flaw.edit(&line)
      scene.append(line, at: record.time, finds: code.map { [$0] } ?? [])
    }
  }
}
