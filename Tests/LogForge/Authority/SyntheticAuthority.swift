internal import Minting

/// A certificate with its key, for a party that can sign.
package struct Certified: Sendable {
  package var key: MintedKey
  /// The DER Name.
  package var name: [UInt8]
  package var serial: [UInt8]
  /// The certificate in DER.
  package var certificate: [UInt8]

  /// Makes the certificate of a key.
  init(
    _ key: MintedKey, _ recipe: CertificateRecipe, signer: MintedKey,
    _ tools: borrowing SigningTools
  ) {
    (self.key, name, serial) = (key, recipe.subject, recipe.serial)
    certificate = CertificateMint.mint(recipe, signer: signer, tools)
  }
}

/// A synthetic stand-in for Apple: an attestation root with its intermediate, and a receipt root
/// with its intermediate and receipt signer. Everything follows from the seed.
package struct SyntheticAuthority: Sendable {
  package let root: Certified
  package let intermediate: Certified
  package let receiptRoot: Certified
  package let receiptIntermediate: Certified
  package let receiptSigner: Certified

  /// The beginning of the roots' validity, 2020-03-18T18:32:53Z.
  static let rootNotBefore: Int64 = 1_584_556_373
  /// The end of the roots' validity, 2045-03-15T00:00:00Z.
  static let rootNotAfter: Int64 = 2_373_148_800
  /// The end of the intermediates' validity, 2030-03-13T00:00:00Z.
  static let intermediateNotAfter: Int64 = 1_899_590_400

  /// The end of the receipt signer's validity, 2026-07-02T13:46:40Z.
  package static let signerNotAfter: Int64 = 1_783_000_000

  package init(
    seed: UInt64, signerNotAfter: Int64 = signerNotAfter, _ tools: borrowing SigningTools
  ) {
    var random = ForgeRandom(seed, 0xA07)
    root = Self.root("Synthetic App Attestation Root CA", &random, tools)
    intermediate = Self.intermediate(
      "Synthetic App Attestation CA 1", .p384, under: root, &random, tools)
    receiptRoot = Self.root("Synthetic Root CA - G3", &random, tools)
    receiptIntermediate = Self.intermediate(
      "Synthetic Application Integration CA 5 - G1", .p256, under: receiptRoot, &random, tools)
    receiptSigner = Self.receiptSigner(
      under: receiptIntermediate, notAfter: signerNotAfter, &random, tools)
  }

  /// Returns a self-signed P-384 root.
  static func root(
    _ commonName: String, _ random: inout ForgeRandom, _ tools: borrowing SigningTools
  ) -> Certified {
    let key = MintedKey(.p384, &random, tools)
    let name = CertificateMint.authorityName(commonName)
    let recipe = CertificateRecipe(
      serial: random.bytes(16), issuer: name, subject: name, notBefore: rootNotBefore,
      notAfter: rootNotAfter, point: key.point, curve: .p384,
      extensions: [
        CertificateMint.authorityConstraints(pathLength: nil),
        CertificateMint.subjectKey(key.point), CertificateMint.authorityUsage,
      ], signedWithSHA384: true)
    return Certified(key, recipe, signer: key, tools)
  }

  /// The flaws of an intermediate.
  struct IntermediateFlaws {
    var isAuthority = true
    var maySign = true
    var pathLength: Int? = 0
    /// The beginning of the validity, in seconds since 1970.
    var notBefore = SyntheticAuthority.rootNotBefore + 422
    /// The end of the validity, in seconds since 1970.
    var notAfter = SyntheticAuthority.intermediateNotAfter
  }

  /// Returns an intermediate authority, signed by `issuer` with SHA-384.
  static func intermediate(
    _ commonName: String, _ curve: MintingCurve, under issuer: Certified,
    flaws: IntermediateFlaws = IntermediateFlaws(), _ random: inout ForgeRandom,
    _ tools: borrowing SigningTools
  ) -> Certified {
    let key = MintedKey(curve, &random, tools)
    let name = CertificateMint.authorityName(commonName)
    let recipe = CertificateRecipe(
      serial: random.bytes(16), issuer: issuer.name, subject: name,
      notBefore: flaws.notBefore, notAfter: flaws.notAfter, point: key.point, curve: curve,
      extensions: [
        flaws.isAuthority
          ? CertificateMint.authorityConstraints(pathLength: flaws.pathLength)
          : CertificateMint.endEntityConstraints,
        CertificateMint.authorityKey(issuer.key.point), CertificateMint.subjectKey(key.point),
        flaws.maySign ? CertificateMint.authorityUsage : CertificateMint.signerUsage,
      ], signedWithSHA384: true)
    return Certified(key, recipe, signer: issuer.key, tools)
  }

  /// Returns a signer of receipts, with the marker of Apple's own. It is valid for 13 months.
  static func receiptSigner(
    under issuer: Certified, notAfter: Int64 = signerNotAfter,
    markers: [[UInt8]] = [ObjectID.receiptSigner], _ random: inout ForgeRandom,
    _ tools: borrowing SigningTools
  ) -> Certified {
    let key = MintedKey(.p256, &random, tools)
    let name = CertificateMint.authorityName("Synthetic Attestation Fraud Receipt Signing")
    let recipe = CertificateRecipe(
      serial: random.bytes(16), issuer: issuer.name, subject: name,
      notBefore: notAfter - 34_000_000, notAfter: notAfter, point: key.point, curve: .p256,
      extensions: [
        CertificateMint.endEntityConstraints, CertificateMint.authorityKey(issuer.key.point),
        CertificateMint.subjectKey(key.point), CertificateMint.signerUsage,
      ] + markers.map { CertificateMint.extension($0, DERWriter.null) })
    return Certified(key, recipe, signer: issuer.key, tools)
  }
}
