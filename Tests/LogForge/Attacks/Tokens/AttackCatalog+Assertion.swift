import FindingCodes
internal import Minting

extension AttackCatalog {
  static let assertionAttacks =
    SceneText.attacks("assertions") + [
      Attack(code: .assertionSignatureInvalid, variants: 12, play: invalidSignature)
    ]

  private static func invalidSignature(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.enrolled()
    let data = scene.freshData(.assertion)
    let other = try scene.device()
    let order = scene.tools.p256.orderBytes
    var assertion = try device.assertion(
      counter: 7, clientDataHash: data.hash, &scene.random, scene.tools)
    switch variant {
    case 0: assertion.s[31] ^= 1
    case 1:
      assertion = try other.sign(
        assertion.authenticatorData, clientDataHash: data.hash, scene.tools)
    case 2:
      // Hashed once, as in several public verifiers and clients.
      let nonce = MintingDigest.sha256(assertion.authenticatorData + data.hash)
      let signature = try scene.tools.p256.sign(nonce, secret: device.secret)
      assertion.r = signature.r
      assertion.s = signature.s
    case 3: assertion.rawSignature = assertion.signature + [0]
    case 4:
      // An integer with a zero byte more than DER allows.
      let r = DERWriter.value(0x02, [0, 0] + assertion.r)
      assertion.rawSignature = DERWriter.sequence([r, DERWriter.integer(assertion.s)])
    case 5: assertion.r = [UInt8](repeating: 0, count: 32)
    case 6: assertion.s = order
    case 7: assertion.rawSignature = []
    case 8:
      // The request was changed on its way: the logged data are not the signed data.
      assertion = try device.assertion(
        counter: 7, clientDataHash: scene.data(unlike: data).hash, &scene.random, scene.tools)
    case 9: assertion.authenticatorData[36] ^= 3
    case 10:
      let body = DERWriter.integer(assertion.r) + DERWriter.integer(assertion.s)
      assertion.rawSignature = [0x30, 0x81, UInt8(body.count)] + body
    default: assertion.rawSignature = assertion.r + assertion.s
    }
    scene.log(
      assertion.token, of: device, at: scene.start + 30_000, data: data,
      finds: [.assertionSignatureInvalid])
    // A forged counter and a forged hash make no honest record guilty.
    try scene.assert(device, at: scene.start + 60_000, counter: 1)
    try scene.assert(device, at: scene.start + 90_000, counter: 2, data: data, issued: false)
  }
}
