internal import Minting

extension AttackCatalog {
  /// The extensions of signers in place of the marker of receipts: nothing, the marker of their
  /// authority, one that is nearly the same.
  static let strayMarkers: [[[UInt8]]] = [[], [ObjectID.receiptAuthority], [ObjectID.otherSigner]]

  /// Returns a signer of receipts that no audit accepts: under another root, expired, or with another marker.
  static func signer(_ name: String, _ scene: inout AttackScene) -> Certified {
    let authority = scene.authority
    switch name {
    // A leaf of the attestation authority, which is no receipt authority.
    case "intermediate": return authority.intermediate
    case "foreign":
      let root = SyntheticAuthority.root("Synthetic Root CA - G3", &scene.random, scene.tools)
      return SyntheticAuthority.receiptSigner(under: root, &scene.random, scene.tools)
    case "expired":
      return SyntheticAuthority.receiptSigner(
        under: authority.receiptIntermediate, notAfter: scene.start / 1000 - 86_400,
        &scene.random, scene.tools)
    default:
      // Apple signs other things below the same root.
      return SyntheticAuthority.receiptSigner(
        under: authority.receiptIntermediate, markers: strayMarkers[Int(name.suffix(1)) ?? 0],
        &scene.random, scene.tools)
    }
  }
}
