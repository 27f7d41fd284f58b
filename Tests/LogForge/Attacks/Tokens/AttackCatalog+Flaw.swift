import FindingCodes
internal import Minting

extension AttackCatalog {
  /// The number of parts into which a form's flaws of one code are divided, so that a small log is
  /// not mostly broken.
  static let parts = 8

  /// Broken records of the forms that list their own flaws, an eighth of them at a time.
  static let flawAttacks = [
    flaws(.recordMissingField, nil), flaws(.recordBadEncoding), flaws(.recordAmbiguousField),
  ]

  /// Returns the attack of the flaws of `code`, and then of those of `more`.
  static func flaws(_ code: FindingCode, _ more: FindingCode?...) -> Attack {
    Attack(
      code: code, variants: parts, needs: .ownFields,
      play: { (scene, part) in
        for code in [code] + more { play(code, part, &scene) }
      })
  }

  /// Logs a line for each flaw of a part of those with this code, and at least one line. Its
  /// device is attested nowhere: if a line were read as a record after all, more would be found.
  private static func play(
    _ code: FindingCode?, _ part: Int, _ scene: inout AttackScene
  ) {
    let device = scene.device()
    let flaws = scene.form.flaws.filter { $0.code == code }
    let first = flaws.count * part / parts
    let end = min(max(first + 1, flaws.count * (part + 1) / parts), flaws.count)
    for (number, flaw) in flaws[first..<end].enumerated() {
      let data = scene.freshData(flaw.kind)
      let assertion = device.assertion(
        counter: UInt32(number + 1), clientDataHash: data.hash, &scene.random, scene.tools)
      var record = LogRecord(
        kind: flaw.kind, time: scene.start + Int64(number) * 1_000, keyID: device.id,
        token: assertion.token, data: data)
      TrafficRenderer.dress(&record, of: device, &scene.random)
      var line = scene.line(record)
      flaw.edit(&line)
      if flaw.code == .recordNotAudited {
        scene.appendStray(line, at: record.time)
      } else {
        scene.append(line, at: record.time, finds: flaw.code.map { [$0] } ?? [])
      }
    }
  }
}
