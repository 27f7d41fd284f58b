internal import Minting

/// The contents of the nonce extension of a leaf (1.2.840.113635.100.8.2).
enum NonceExtension {
  /// SHA-256(authData ‖ clientDataHash).
  case honest
  /// Other bytes.
  case other([UInt8])
  /// The extension is missing.
  case absent
}

/// A writer of App Attest leaf certificates.
enum LeafMint {
  /// Returns the extensions of a leaf of a device with `system`. `accessControl` are the octets in
  /// …100.8.6, or nil to leave it out.
  static func extensions(
    appID: String, nonce: [UInt8]?, system: System, accessControl: [UInt8]?
  ) -> [[UInt8]] {
    var extensions = [CertificateMint.endEntityConstraints, CertificateMint.leafUsage]
    if system.hasExtendedUsage {
      extensions.append(
        CertificateMint.extension(
          ObjectID.extendedKeyUsage, DERWriter.sequence([ObjectID.attestUsage])))
    }
    let nonce = nonce.map { DERWriter.sequence([DERWriter.context(1, DERWriter.octets($0))]) }
    let accessControl = accessControl.map {
      DERWriter.sequence([DERWriter.context(3, DERWriter.octets($0))])
    }
    let contents: [(Int, [UInt8]?)] = [
      (5, system.appTags(appID)), (7, system.systemTags), (2, nonce), (6, accessControl),
    ]
    for (number, content) in contents {
      guard let content else { continue }
      extensions.append(CertificateMint.extension(ObjectID.attest(number), content))
    }
    return extensions
  }

  /// Returns the subject of a leaf: CN = hex of the key identifier.
  static func subject(keyID: [UInt8]) -> [UInt8] {
    CertificateMint.name([
      (ObjectID.commonName, String(decoding: TextCode.hex.encode(keyID), as: UTF8.self)),
      (ObjectID.organizationalUnit, "Synthetic AAA Certification"),
      (ObjectID.organization, "Synthetic Authority (LogForge)"), (ObjectID.state, "Nowhere"),
    ])
  }
}
