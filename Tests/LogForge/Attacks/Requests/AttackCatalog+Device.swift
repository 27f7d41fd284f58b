import FindingCodes
internal import Minting

extension AttackCatalog {
  /// Attacks on the assignment of keys to devices, for logs whose requests name devices only. Each request
  /// belongs to the key that signed it (`records.R77`).
  static let deviceAttacks =
    [Attack(code: .keyUnknown, variants: 2, needs: .deviceJoin, play: strangeDevices)]
    + SceneText.attacks("devices")

  private static func strangeDevices(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    if variant == 0 {
      // Names are compared by their bytes: neither case nor Unicode's other spelling is the same.
      var known = try scene.device()
      known.deviceID = "Zo\u{EB}s iPad \(scene.random.below(1_000_000))"
      try scene.attest(known, at: scene.start)
      try scene.assert(known, at: scene.start + 60_000, counter: 1)
      for (place, letters) in ["Zoe\u{308}", "zo\u{EB}", "Zo\u{EB} "].enumerated() {
        var strange = known
        strange.deviceID = letters + known.deviceID.dropFirst(3)
        let time = scene.start + 120_000 + Int64(place) * 10_000
        try scene.assert(strange, at: time, counter: 2, finds: [.keyUnknown])
        try scene.assert(strange, at: time + 1_000, counter: 3)
      }
      return
    }
    // Two devices, one finding each, at their earliest requests. A number and its digits are one
    // name.
    var number = try scene.device()
    number.deviceID = String(scene.random.within(1_000_000_000...9_999_999_999))
    let other = try scene.device()
    for step in [Int64(3), 2, 1] {
      try scene.assert(
        number, at: scene.start + step * 1_000, counter: UInt32(step),
        finds: step == 1 ? [.keyUnknown] : [])
      try scene.assert(
        other, at: scene.start + step * 1_000, counter: UInt32(step),
        finds: step == 1 ? [.keyUnknown] : [])
    }
  }
}
