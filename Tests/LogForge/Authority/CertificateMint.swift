import FindingCodes
internal import Minting

/// The object identifiers in use, as DER.
enum ObjectID {
  static let ecPublicKey = DERWriter.oid([1, 2, 840, 10045, 2, 1])
  static let prime256v1 = DERWriter.oid([1, 2, 840, 10045, 3, 1, 7])
  static let secp384r1 = DERWriter.oid([1, 3, 132, 0, 34])
  static let ecdsaWithSHA256 = DERWriter.oid([1, 2, 840, 10045, 4, 3, 2])
  static let ecdsaWithSHA384 = DERWriter.oid([1, 2, 840, 10045, 4, 3, 3])
  static let sha256 = DERWriter.oid([2, 16, 840, 1, 101, 3, 4, 2, 1])
  static let signedData = DERWriter.oid([1, 2, 840, 113549, 1, 7, 2])
  static let data = DERWriter.oid([1, 2, 840, 113549, 1, 7, 1])
  static let contentType = DERWriter.oid([1, 2, 840, 113549, 1, 9, 3])
  static let messageDigest = DERWriter.oid([1, 2, 840, 113549, 1, 9, 4])
  static let commonName = DERWriter.oid([2, 5, 4, 3])
  static let organization = DERWriter.oid([2, 5, 4, 10])
  static let organizationalUnit = DERWriter.oid([2, 5, 4, 11])
  static let state = DERWriter.oid([2, 5, 4, 8])
  static let subjectKeyIdentifier = DERWriter.oid([2, 5, 29, 14])
  static let keyUsage = DERWriter.oid([2, 5, 29, 15])
  static let basicConstraints = DERWriter.oid([2, 5, 29, 19])
  static let authorityKeyIdentifier = DERWriter.oid([2, 5, 29, 35])
  static let extendedKeyUsage = DERWriter.oid([2, 5, 29, 37])
  /// The key purpose of App Attest leaves since 2026.
  static let attestUsage = DERWriter.oid([1, 2, 840, 113635, 100, 4, 24])
  /// The marker of receipt signers.
  static let receiptSigner = DERWriter.oid([1, 2, 840, 113635, 100, 12, 15])
  /// The marker of other signers below the same root.
  static let otherSigner = DERWriter.oid([1, 2, 840, 113635, 100, 12, 16])
  /// The marker of the authorities above receipt signers.
  static let receiptAuthority = DERWriter.oid([1, 2, 840, 113635, 100, 6, 2, 3])

  /// Returns an App Attest extension, 1.2.840.113635.100.8.`number`.
  static func attest(_ number: Int) -> [UInt8] {
    DERWriter.oid([1, 2, 840, 113635, 100, 8, number])
  }
}

/// The fields of a certificate.
struct CertificateRecipe {
  var serial: [UInt8]
  /// The issuer's DER Name.
  var issuer: [UInt8]
  /// The subject's DER Name.
  var subject: [UInt8]
  /// The beginning of the validity, in seconds since 1970.
  var notBefore: Int64
  /// The end of the validity, in seconds since 1970.
  var notAfter: Int64
  var point: [UInt8]
  var curve: MintingCurve
  /// The finished DER extensions.
  var extensions: [[UInt8]]
  /// Whether the signature is made over a SHA-384 digest instead of a SHA-256 one.
  var signedWithSHA384 = false
  /// Whether one bit of the signature is wrong.
  var tampered = false
}

/// A writer and signer of X.509 certificates (RFC 5280).
enum CertificateMint {
  /// Returns the certificate of `recipe`, signed by `signer`, in DER.
  static func mint(
    _ recipe: CertificateRecipe, signer: MintedKey, _ tools: borrowing SigningTools
  ) -> [UInt8] {
    let algorithm = DERWriter.sequence([
      recipe.signedWithSHA384 ? ObjectID.ecdsaWithSHA384 : ObjectID.ecdsaWithSHA256
    ])
    let body = DERWriter.sequence([
      DERWriter.context(0, DERWriter.integer(2)), DERWriter.integer(recipe.serial), algorithm,
      recipe.issuer,
      DERWriter.sequence([
        CalendarTime.der(seconds: recipe.notBefore), CalendarTime.der(seconds: recipe.notAfter),
      ]), recipe.subject, publicKeyInfo(recipe.point, recipe.curve),
      DERWriter.context(3, DERWriter.sequence(recipe.extensions)),
    ])
    let digest =
      recipe.signedWithSHA384 ? MintingDigest.sha384(body) : MintingDigest.sha256(body)
    var signature = tools.sign(digest, secret: signer.secret, curve: signer.curve)
    if recipe.tampered { signature.s[signature.s.count - 1] ^= 1 }
    return DERWriter.sequence([
      body, algorithm, DERWriter.bits(DERWriter.signature(r: signature.r, s: signature.s)),
    ])
  }

  /// Returns the SubjectPublicKeyInfo of a point (RFC 5480).
  static func publicKeyInfo(_ point: [UInt8], _ curve: MintingCurve) -> [UInt8] {
    let name = curve == .p256 ? ObjectID.prime256v1 : ObjectID.secp384r1
    return DERWriter.sequence([
      DERWriter.sequence([ObjectID.ecPublicKey, name]), DERWriter.bits(point),
    ])
  }

  /// Returns a Name of one attribute in each relative name.
  static func name(_ attributes: [(type: [UInt8], value: String)]) -> [UInt8] {
    DERWriter.sequence(
      attributes.map {
        DERWriter.set([DERWriter.sequence([$0.type, DERWriter.utf8($0.value)])])
      })
  }

  static func authorityName(_ commonName: String) -> [UInt8] {
    name([
      (ObjectID.commonName, commonName), (ObjectID.organization, "Synthetic Authority (LogForge)"),
      (ObjectID.state, "Nowhere"),
    ])
  }

  /// Returns an extension of `contents`.
  static func `extension`(_ id: [UInt8], critical: Bool = false, _ contents: [UInt8]) -> [UInt8] {
    DERWriter.sequence([id, critical ? DERWriter.boolean(true) : [], DERWriter.octets(contents)])
  }

  /// Returns basicConstraints of an authority, with or without a path length.
  static func authorityConstraints(pathLength: Int?) -> [UInt8] {
    Self.extension(
      ObjectID.basicConstraints, critical: true,
      DERWriter.sequence([
        DERWriter.boolean(true), pathLength.map { DERWriter.integer($0) } ?? [],
      ]))
  }

  /// basicConstraints of an end entity.
  static let endEntityConstraints = Self.extension(
    ObjectID.basicConstraints, critical: true, DERWriter.sequence([]))

  /// keyUsage of an authority: keyCertSign and cRLSign.
  static let authorityUsage = Self.extension(
    ObjectID.keyUsage, critical: true, DERWriter.bits([0x06], unused: 1))

  /// keyUsage of an App Attest leaf, as Apple writes it.
  static let leafUsage = Self.extension(
    ObjectID.keyUsage, critical: true, DERWriter.bits([0xF0], unused: 4))

  /// keyUsage of a receipt signer: digitalSignature.
  static let signerUsage = Self.extension(
    ObjectID.keyUsage, critical: true, DERWriter.bits([0x80], unused: 7))

  /// Returns subjectKeyIdentifier of `point`.
  static func subjectKey(_ point: [UInt8]) -> [UInt8] {
    Self.extension(ObjectID.subjectKeyIdentifier, DERWriter.octets(keyIdentifier(point)))
  }

  /// Returns authorityKeyIdentifier of `point`.
  static func authorityKey(_ point: [UInt8]) -> [UInt8] {
    Self.extension(
      ObjectID.authorityKeyIdentifier,
      DERWriter.sequence([DERWriter.value(0x80, keyIdentifier(point))]))
  }

  private static func keyIdentifier(_ point: [UInt8]) -> [UInt8] {
    Array(MintingDigest.sha256(point).prefix(20))
  }
}
