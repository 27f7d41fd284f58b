import FindingCodes
internal import Minting

extension AttackCatalog {
  static let receiptAttacks: [Attack] = [
    Attack(code: .attestationReceiptInvalid, variants: 18, play: invalidReceipt),
    Attack(code: .attestationTimeDisagrees, variants: 5, play: disagreeingTime),
  ]

  /// The extensions of signers in place of the marker of receipts: nothing, the marker of their
  /// authority, one that is nearly the same.
  static let strayMarkers: [[[UInt8]]] = [[], [ObjectID.receiptAuthority], [ObjectID.otherSigner]]

  private static func invalidReceipt(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    let noise = scene.random.bytes(32)
    let authority = scene.authority
    var signer: Certified?
    if variant == 8 {
      let root = try SyntheticAuthority.root("Synthetic Root CA - G3", &scene.random, scene.tools)
      signer = try SyntheticAuthority.receiptSigner(under: root, &scene.random, scene.tools)
    } else if variant == 9 {
      signer = try SyntheticAuthority.receiptSigner(
        under: authority.receiptIntermediate, notAfter: scene.start / 1000 - 86_400,
        &scene.random, scene.tools)
    } else if strayMarkers.indices.contains(variant - 14) {
      // Apple signs other things below the same root.
      signer = try SyntheticAuthority.receiptSigner(
        under: authority.receiptIntermediate, markers: strayMarkers[variant - 14], &scene.random,
        scene.tools)
    }
    try scene.attest(
      device, at: scene.start, finds: [.attestationReceiptInvalid],
      recipe: { recipe in
        switch variant {
        case 0: recipe.receipt.appID = SyntheticApp.stranger.id
        case 1: recipe.receipt.clientHash = noise
        case 2: recipe.receipt.certificate = authority.intermediate.certificate
        case 3:
          recipe.receipt.type = "RECEIPT"
          recipe.receipt.riskMetric = "4"
        case 4:
          recipe.receipt.environment = device.isDevelopment ? "production" : "sandbox"
        case 5: recipe.receipt.created = "yesterday"
        case 6: recipe.receipt.tamperedSignature = true
        case 7: recipe.receipt.tamperedContent = true
        case 8, 9, 14, 15, 16: if let signer { recipe.receipt.signer = signer }
        case 10: recipe.rawReceipt = noise
        case 11: recipe.rawReceipt = []
        // Signed by a leaf of the attestation authority, which is no receipt authority.
        case 12: recipe.receipt.signer = authority.intermediate
        case 13: recipe.receipt.created = nil
        default: break
        }
      },
      token: {
        var parts = $0
        parts.hasReceipt = variant != 17
        return parts.token
      })
    // A receipt is examined on the side: the key is good.
    try scene.assert(device, at: scene.start + 45_000, counter: 1)
  }

  private static func disagreeingTime(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.device()
    let start = scene.start
    // Five minutes early and one day late are still right, to the millisecond.
    let created: [Int64] = [
      start + 300_001, start + 3_600_000, start - 86_400_001, start - 5 * 86_400_000,
      start - 5 * 86_400_000,
    ]
    // Without a receipt, the serial number is Apple's clock.
    let hasReceipt = variant != 4
    try scene.attest(
      device, at: start,
      finds: hasReceipt
        ? [.attestationTimeDisagrees] : [.attestationReceiptInvalid, .attestationTimeDisagrees],
      recipe: {
        $0.notBefore = start / 1000 - 10 * 86_400
        $0.notAfter = start / 1000 + 86_400
        $0.receipt.created = CalendarTime.rfc3339(created[variant])
        $0.leafSerial = CBORWriter.bigEndian(UInt64(created[variant]), 6)
        if !hasReceipt { $0.rawReceipt = [] }
      })
    try scene.assert(device, at: start + 45_000, counter: 1)
    let punctual = try scene.device()
    try scene.attest(
      punctual, at: start + 60_000,
      recipe: {
        $0.notBefore = start / 1000 - 10 * 86_400
        $0.notAfter = start / 1000 + 86_400
        $0.receipt.created = CalendarTime.rfc3339(
          start + 60_000 + (variant % 2 == 0 ? 300_000 : -86_400_000))
      })
  }
}
