internal import Minting

/// The bytes that the signature of a receipt is made over.
enum ReceiptSignature: CaseIterable {
  /// The content. There are no signed attributes (since November 2020).
  case content
  /// The signed attributes (RFC 5652, 5.4).
  case attributes
  /// The content, although signed attributes are present as well (seen in 2020).
  case contentBesideAttributes
}

/// The fields of a receipt, and its form.
struct ReceiptRecipe {
  var appID: String
  /// The certificate in field 3. If nil, it is the leaf of the attestation.
  var certificate: [UInt8]?
  var clientHash: [UInt8]
  var type = "ATTEST"
  /// The environment, `sandbox` or `production`.
  var environment: String?
  /// The creation time in RFC 3339, or nil if field 12 is missing.
  var created: String?
  var expires: String
  /// The time in field 19, in RFC 3339.
  var notBefore: String?
  /// The risk metric (field 17), in RECEIPT only.
  var riskMetric: String?
  /// The token (field 5).
  var token: [UInt8]
  /// True for BER with indefinite lengths and the content in chunks, false for DER.
  var isBER = true
  var signature = ReceiptSignature.content
  var signer: Certified
  /// The other certificates of the chain.
  var chain: [Certified]
  /// Whether the content is changed after it was signed.
  var tamperedContent = false
  /// Whether one bit of the signature is wrong.
  var tamperedSignature = false
}

/// A writer and signer of receipts: CMS SignedData (RFC 5652) over a SET of fields.
enum ReceiptMint {
  /// The size of the chunks into which Apple's servers cut the content, in bytes.
  static let chunk = 1000

  /// Returns the receipt of `recipe` for an attestation with `leaf`.
  static func mint(
    _ recipe: ReceiptRecipe, leaf: [UInt8], _ tools: borrowing SigningTools
  ) -> [UInt8] {
    let signed = content(recipe, leaf: leaf)
    var shown = signed
    // The last byte is in the text of the expiry, whose value is not examined.
    if recipe.tamperedContent { shown[shown.count - 2] ^= 1 }
    let attributes = recipe.signature == .content ? nil : signedAttributes(signed)
    let message =
      recipe.signature == .attributes ? DERWriter.value(0x31, attributes ?? []) : signed
    var signature = tools.sign(
      MintingDigest.sha256(message), secret: recipe.signer.key.secret,
      curve: recipe.signer.key.curve)
    if recipe.tamperedSignature { signature.r[9] ^= 0x10 }
    let signerInfo = DERWriter.sequence([
      DERWriter.integer(1),
      DERWriter.sequence([
        recipe.chain.first?.name ?? recipe.signer.name, DERWriter.integer(recipe.signer.serial),
      ]), digestAlgorithm, attributes.map { DERWriter.context(0, $0) } ?? [],
      DERWriter.sequence([ObjectID.ecdsaWithSHA256]),
      DERWriter.octets(DERWriter.signature(r: signature.r, s: signature.s)),
    ])
    let certificates = recipe.signer.certificate + recipe.chain.flatMap { $0.certificate }
    return recipe.isBER
      ? openForm(shown, certificates, signerInfo) : closedForm(shown, certificates, signerInfo)
  }

  private static let digestAlgorithm = DERWriter.sequence([ObjectID.sha256, DERWriter.null])

  private static func closedForm(
    _ content: [UInt8], _ certificates: [UInt8], _ signerInfo: [UInt8]
  ) -> [UInt8] {
    DERWriter.sequence([
      ObjectID.signedData,
      DERWriter.context(
        0,
        DERWriter.sequence([
          DERWriter.integer(1), DERWriter.set([digestAlgorithm]),
          DERWriter.sequence([ObjectID.data, DERWriter.context(0, DERWriter.octets(content))]),
          DERWriter.context(0, certificates), DERWriter.set([signerInfo]),
        ])),
    ])
  }

  private static func openForm(
    _ content: [UInt8], _ certificates: [UInt8], _ signerInfo: [UInt8]
  ) -> [UInt8] {
    let chunks = stride(from: 0, to: content.count, by: chunk).map {
      DERWriter.octets(Array(content[$0...].prefix(chunk)))
    }
    return DERWriter.open(
      0x30,
      [
        ObjectID.signedData,
        DERWriter.open(
          0xA0,
          [
            DERWriter.open(
              0x30,
              [
                DERWriter.integer(1), DERWriter.set([digestAlgorithm]),
                DERWriter.open(
                  0x30, [ObjectID.data, DERWriter.open(0xA0, [DERWriter.open(0x24, chunks)])]),
                DERWriter.open(0xA0, [certificates]), DERWriter.set([signerInfo]),
              ])
          ]),
      ])
  }

  private static func content(_ recipe: ReceiptRecipe, leaf: [UInt8]) -> [UInt8] {
    var fields: [(Int, [UInt8])] = [
      (2, Array(recipe.appID.utf8)), (3, recipe.certificate ?? leaf), (4, recipe.clientHash),
      (5, recipe.token), (6, Array(recipe.type.utf8)),
    ]
    if let environment = recipe.environment { fields.append((7, Array(environment.utf8))) }
    if let created = recipe.created { fields.append((12, Array(created.utf8))) }
    if let riskMetric = recipe.riskMetric { fields.append((17, Array(riskMetric.utf8))) }
    if let notBefore = recipe.notBefore { fields.append((19, Array(notBefore.utf8))) }
    fields.append((21, Array(recipe.expires.utf8)))
    return DERWriter.set(
      fields.map {
        DERWriter.sequence([
          DERWriter.integer($0.0), DERWriter.integer(1), DERWriter.octets($0.1),
        ])
      })
  }

  /// Returns the contents of the SET OF signed attributes, in the order that DER demands: by their
  /// bytes, shorter encodings first here since the lengths differ.
  private static func signedAttributes(_ content: [UInt8]) -> [UInt8] {
    let type = DERWriter.sequence([ObjectID.contentType, DERWriter.set([ObjectID.data])])
    let digest = DERWriter.sequence([
      ObjectID.messageDigest, DERWriter.set([DERWriter.octets(MintingDigest.sha256(content))]),
    ])
    return type + digest
  }
}
