import FindingCodes
internal import Minting

extension AttackCatalog {
  /// Keys of Macs without full security, and code that the app's owner did not build.
  static let codeAttacks: [Attack] =
    SceneText.attacks("access control") + [
      Attack(code: .attestationCodeMismatch, variants: 3, play: attestedCodeMismatch),
      Attack(code: .assertionCodeMismatch, variants: 4, play: assertedCodeMismatch),
    ]

  /// Returns the code hash of a modified app: of another one, of 31 bytes, or of 20 bytes.
  private static func modifiedCode(_ device: Device, _ variant: Int) -> [UInt8] {
    let code = device.app.codeHash(of: device.bundleVersion)
    switch variant {
    case 0: return device.app.codeHash(of: "modified")
    case 1: return Array(code.dropLast())
    // The first 20 bytes are right, the others are not.
    case 2: return code.dropLast() + [code[31] ^ 1]
    default: return Array(device.app.codeHash(of: "modified").prefix(20))
    }
  }

  private static func attestedCodeMismatch(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device(app: .game, system: variant == 1 ? .macOS27 : .iOS27)
    var noise = scene.random
    try scene.attest(
      device, at: scene.start, finds: [.attestationCodeMismatch],
      recipe: {
        $0.extensionMap = device.extensionMap(
          code: modifiedCode(device, variant), bundleVersion: "7.1", category: 4, &noise)
        $0.flags = 0xC0
      })
    // A policy is violated, the key is good.
    try scene.assert(device, at: scene.start + 45_000, counter: 1)
    // A short hash is compared in its 20 bytes.
    let other = try scene.device(app: .game, system: .iOS27)
    try scene.attest(
      other, at: scene.start + 60_000,
      recipe: {
        $0.extensionMap = other.extensionMap(
          code: Array(other.app.codeHash(of: "7.2").prefix(20)), bundleVersion: "7.2",
          category: 2, &noise)
      })
  }

  /// Plays an app that is replaced by a modified one, and later by the honest one again. Its key is the
  /// same all the time (`facts.R32`).
  private static func assertedCodeMismatch(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.enrolled(app: .game, system: variant == 1 ? .macOS27 : .iOS27)
    try scene.assert(device, at: scene.start + 20_000, counter: 1)
    for counter in 2...3 as ClosedRange<UInt32> {
      let data = scene.freshData(.assertion)
      let map = device.extensionMap(
        code: modifiedCode(device, variant), bundleVersion: "7.1", category: 4, &scene.random)
      let assertion = try device.sign(
        device.assertionData(counter: counter, map: map), clientDataHash: data.hash, scene.tools)
      scene.log(
        assertion.token, of: device, at: scene.start + Int64(counter) * 20_000, data: data,
        finds: [.assertionCodeMismatch])
    }
    try scene.assert(device, at: scene.start + 80_000, counter: 4)
  }
}
