internal import Minting

/// Certificate chains that end in no configured anchor, or ought not to.
struct ForeignChain {
  /// The signer of the leaf.
  var issuer: Certified
  /// The certificates behind the leaf in x5c, in DER.
  var certificates: [[UInt8]]
  var tamperedLeaf = false
}

enum ForeignChains {
  static func chain(
    _ variant: Int, at time: Int64 = 0, _ authority: SyntheticAuthority,
    _ random: inout ForgeRandom, _ tools: borrowing SigningTools
  ) -> ForeignChain {
    let name = "Synthetic App Attestation CA 1"
    switch variant {
    case 0, 1, 2:
      // A foreign root: of another name, of the same name, and put into x5c to be believed.
      let root = SyntheticAuthority.root(
        variant == 0 ? "Synthetic Foreign Root" : "Synthetic App Attestation Root CA", &random,
        tools)
      let issuer = SyntheticAuthority.intermediate(name, .p384, under: root, &random, tools)
      return ForeignChain(
        issuer: issuer,
        certificates: [issuer.certificate] + (variant == 2 ? [root.certificate] : []))
    case 3:
      let issuer = SyntheticAuthority.intermediate(
        name, .p384, under: authority.root, flaws: .init(isAuthority: false), &random, tools)
      return ForeignChain(issuer: issuer, certificates: [issuer.certificate])
    case 4:
      let issuer = SyntheticAuthority.intermediate(
        name, .p384, under: authority.root, flaws: .init(maySign: false), &random, tools)
      return ForeignChain(issuer: issuer, certificates: [issuer.certificate])
    case 5:
      return ForeignChain(
        issuer: authority.intermediate, certificates: [authority.intermediate.certificate],
        tamperedLeaf: true)
    case 6:
      // The right key under another name.
      var issuer = authority.intermediate
      issuer.name = CertificateMint.authorityName("Synthetic App Attestation CA 2")
      return ForeignChain(issuer: issuer, certificates: [authority.intermediate.certificate])
    case 7:
      // One authority more than the path length allows.
      let issuer = SyntheticAuthority.intermediate(
        "Synthetic Sub-CA", .p384, under: authority.intermediate, &random, tools)
      return ForeignChain(
        issuer: issuer, certificates: [issuer.certificate, authority.intermediate.certificate])
    case 9:
      // An authority that has expired.
      let issuer = SyntheticAuthority.intermediate(
        "Synthetic App Attestation CA 0", .p384, under: authority.root,
        flaws: .init(notAfter: time / 1000 - 86_400 * 200), &random, tools)
      return ForeignChain(issuer: issuer, certificates: [issuer.certificate])
    default:
      // An honest device's leaf plays the authority.
      let issuer = deviceAsAuthority(authority, &random, tools)
      return ForeignChain(
        issuer: issuer, certificates: [issuer.certificate, authority.intermediate.certificate])
    }
  }

  private static func deviceAsAuthority(
    _ authority: SyntheticAuthority, _ random: inout ForgeRandom,
    _ tools: borrowing SigningTools
  ) -> Certified {
    let key = MintedKey(.p256, &random, tools)
    let id = MintingDigest.sha256(key.point)
    let recipe = CertificateRecipe(
      serial: random.bytes(6), issuer: authority.intermediate.name,
      subject: LeafMint.subject(keyID: id), notBefore: 1_772_000_000, notAfter: 1_780_000_000,
      point: key.point, curve: .p256,
      extensions: LeafMint.extensions(
        appID: SyntheticApp.bank.id, nonce: random.bytes(32), system: .iOS17, accessControl: nil))
    return Certified(key, recipe, signer: authority.intermediate.key, tools)
  }
}
