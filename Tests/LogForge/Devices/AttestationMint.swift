internal import Minting

/// All parts of an attestation, each of which an attacker may change.
struct AttestationRecipe {
  var format = "apple-appattest"
  var rpIDHash: [UInt8]
  var flags: UInt8 = 0x40
  var counter: UInt32 = 0
  var aaguid: [UInt8]
  var credentialID: [UInt8]
  /// The public key in authenticator data, X9.62 uncompressed.
  var cosePoint: [UInt8]
  /// The COSE algorithm, −7 for ES256.
  var coseAlgorithm = -7
  /// The bytes that replace the COSE key.
  var rawCOSEKey: [UInt8]?
  /// A finished CBOR map behind the COSE key.
  var extensionMap: [UInt8]?
  var clientDataHash: [UInt8]
  var nonce = NonceExtension.honest
  /// The public key of the leaf, X9.62 uncompressed.
  var leafPoint: [UInt8]
  /// The key identifier in the leaf's subject.
  var leafSubject: [UInt8]
  var leafAppID: String
  var system: System
  /// The octets of the leaf's access control extension, or nil to leave it out.
  var accessControl: [UInt8]?
  var leafSerial: [UInt8]
  /// The beginning of the leaf's validity, in seconds since 1970.
  var notBefore: Int64
  /// The end of the leaf's validity, in seconds since 1970.
  var notAfter: Int64
  var issuer: Certified
  /// The certificates behind the leaf in x5c, in DER.
  var chain: [[UInt8]]
  var tamperedLeaf = false
  var receipt: ReceiptRecipe
  /// The bytes that replace the receipt.
  var rawReceipt: [UInt8]?
  /// The code hash outside the signature, or nil if the token has none.
  var unsignedCode: [UInt8]?
}

/// The parts of an attestation object, before they become CBOR.
struct AttestationParts {
  var format: String
  var x5c: [[UInt8]]
  var receipt: [UInt8]
  var authData: [UInt8]
  /// The code hash outside the signature, or nil if the token has none.
  var unsignedCode: [UInt8]?
  /// Whether the statement has a receipt, which archives may have stripped.
  var hasReceipt = true
  /// The bytes that replace the object.
  var rawToken: [UInt8]?

  /// The object in the form of Apple's devices.
  var token: [UInt8] { token(with: CBORWriter.unsignedCode(unsignedCode)) }

  /// Returns the object with further members, which nobody signed.
  func token(with members: [(key: [UInt8], value: [UInt8])]) -> [UInt8] {
    rawToken
      ?? CBORWriter.map(
        [(CBORWriter.text("fmt"), CBORWriter.text(format))]
          + members + [
            (CBORWriter.text("attStmt"), statement),
            (CBORWriter.text("authData"), CBORWriter.bytes(authData)),
          ])
  }

  /// The same object in another spelling of CBOR: keys in another order, longer lengths, an
  /// indefinite map.
  var respelledToken: [UInt8] {
    CBORWriter.openMap(
      [
        (CBORWriter.text("authData"), CBORWriter.chunkedBytes(authData, chunk: 77)),
        (CBORWriter.text("fmt", .longest), CBORWriter.text(format)),
        (CBORWriter.text("attStmt"), statement),
      ] + CBORWriter.unsignedCode(unsignedCode))
  }

  var statement: [UInt8] {
    CBORWriter.map(
      [(CBORWriter.text("x5c"), CBORWriter.array(x5c.map { CBORWriter.bytes($0) }))]
        + (hasReceipt ? [(CBORWriter.text("receipt"), CBORWriter.bytes(receipt))] : []))
  }
}

extension CBORWriter {
  /// Returns the top-level member `cdHash` of iOS 18.5 to 26 (`facts.R33`), if there is a code hash.
  static func unsignedCode(_ hash: [UInt8]?) -> [(key: [UInt8], value: [UInt8])] {
    guard let hash else { return [] }
    return [(text("cdHash"), map([(text("hash"), bytes(hash)), (text("type"), bytes([2]))]))]
  }
}

/// A maker of attestations.
enum AttestationMint {
  /// Returns the parts of the attestation that `recipe` describes.
  static func mint(
    _ recipe: AttestationRecipe, _ tools: borrowing SigningTools
  ) -> AttestationParts {
    let authData = authenticatorData(recipe)
    let nonce: [UInt8]? =
      switch recipe.nonce {
      case .honest: MintingDigest.sha256(authData + recipe.clientDataHash)
      case .other(let bytes): bytes
      case .absent: nil
      }
    let certificate = CertificateRecipe(
      serial: recipe.leafSerial, issuer: recipe.issuer.name,
      subject: LeafMint.subject(keyID: recipe.leafSubject), notBefore: recipe.notBefore,
      notAfter: recipe.notAfter, point: recipe.leafPoint, curve: .p256,
      extensions: LeafMint.extensions(
        appID: recipe.leafAppID, nonce: nonce, system: recipe.system,
        accessControl: recipe.accessControl),
      tampered: recipe.tamperedLeaf)
    let leaf = CertificateMint.mint(certificate, signer: recipe.issuer.key, tools)
    let receipt: [UInt8]
    if let raw = recipe.rawReceipt {
      receipt = raw
    } else {
      receipt = ReceiptMint.mint(recipe.receipt, leaf: leaf, tools)
    }
    return AttestationParts(
      format: recipe.format, x5c: [leaf] + recipe.chain, receipt: receipt, authData: authData,
      unsignedCode: recipe.unsignedCode)
  }

  /// Returns rpIdHash, flags, counter, aaguid, credentialId, COSE key, extension map (WebAuthn,
  /// 6.1).
  static func authenticatorData(_ recipe: AttestationRecipe) -> [UInt8] {
    recipe.rpIDHash + [recipe.flags] + CBORWriter.bigEndian(UInt64(recipe.counter), 4)
      + recipe.aaguid + CBORWriter.bigEndian(UInt64(recipe.credentialID.count), 2)
      + recipe.credentialID
      + (recipe.rawCOSEKey ?? coseKey(recipe.cosePoint, algorithm: recipe.coseAlgorithm))
      + (recipe.extensionMap ?? [])
  }

  /// Returns an EC2 key on P-256 (RFC 9053). A coordinate that begins with zero bytes is written
  /// without them.
  static func coseKey(_ point: [UInt8], algorithm: Int) -> [UInt8] {
    let x = Array(point[1..<33].drop { $0 == 0 })
    let y = Array(point[33..<65].drop { $0 == 0 })
    return CBORWriter.map([
      (CBORWriter.integer(1), CBORWriter.integer(2)),
      (CBORWriter.integer(3), CBORWriter.integer(algorithm)),
      (CBORWriter.integer(-1), CBORWriter.integer(1)),
      (CBORWriter.integer(-2), CBORWriter.bytes(x)),
      (CBORWriter.integer(-3), CBORWriter.bytes(y)),
    ])
  }
}
