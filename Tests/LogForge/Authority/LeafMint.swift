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

/// The extensions of an App Attest leaf that vary from system to system.
struct LeafDetails {
  /// True where the leaf has an extended key usage, as since 2026.
  var extendedUsage = false
  /// True where the tags of 100.8.5 are present. The App ID is in [1204].
  var appTags = true
  /// True where 100.8.7 is present: OS version, build and more.
  var systemTags = true
  /// True where 100.8.6, access control, is present.
  var accessControl = false
  var osVersion = "17.4"
  var build = "21E213"
  /// The platform. Apple writes 2 on iOS 27, and an undetermined −1 or more before.
  var platform = 2
}

/// A writer of App Attest leaf certificates.
enum LeafMint {
  /// Returns the extensions of a leaf.
  static func extensions(
    appID: String, nonce: [UInt8]?, details: LeafDetails
  ) -> [[UInt8]] {
    var extensions = [CertificateMint.endEntityConstraints, CertificateMint.leafUsage]
    if details.extendedUsage {
      extensions.append(
        CertificateMint.extension(
          ObjectID.extendedKeyUsage, DERWriter.sequence([ObjectID.attestUsage])))
    }
    if details.appTags {
      extensions.append(CertificateMint.extension(ObjectID.attest(5), appTags(appID)))
    }
    if details.systemTags {
      extensions.append(CertificateMint.extension(ObjectID.attest(7), systemTags(details)))
    }
    if let nonce {
      extensions.append(
        CertificateMint.extension(
          ObjectID.attest(2),
          DERWriter.sequence([DERWriter.context(1, DERWriter.octets(nonce))])))
    }
    if details.accessControl {
      extensions.append(CertificateMint.extension(ObjectID.attest(6), accessControl()))
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

  private static func appTags(_ appID: String) -> [UInt8] {
    let zero = DERWriter.integer(0)
    let one = DERWriter.integer(1)
    return DERWriter.sequence([
      DERWriter.context(4, DERWriter.integer(10)), DERWriter.context(1200, one),
      DERWriter.context(1201, zero), DERWriter.context(1202, one), DERWriter.context(1203, one),
      DERWriter.context(1204, DERWriter.octets(Array(appID.utf8))),
      DERWriter.context(5, DERWriter.octets(Array("sks ".utf8))),
      DERWriter.context(1206, DERWriter.integer(5)), DERWriter.context(1207, zero),
      DERWriter.context(1209, zero), DERWriter.context(1210, zero), DERWriter.context(1211, zero),
    ])
  }

  private static func systemTags(_ details: LeafDetails) -> [UInt8] {
    let version = DERWriter.octets(Array(details.osVersion.utf8))
    return DERWriter.sequence([
      DERWriter.context(1400, version),
      DERWriter.context(1104, DERWriter.integer(details.platform)),
      DERWriter.context(1403, DERWriter.octets(Array(details.build.utf8))),
      DERWriter.context(1405, version), DERWriter.context(1406, DERWriter.integer(0)),
      DERWriter.context(1420, DERWriter.octets(Array("21.3.66.0.0,0".utf8))),
      DERWriter.context(1026, DERWriter.octets(Array("iphoneos".utf8))),
    ])
  }

  private static func accessControl() -> [UInt8] {
    let entries = ["okd", "oa", "osgn", "odel", "ock"].map {
      DERWriter.sequence([DERWriter.utf8($0), DERWriter.context(1, DERWriter.boolean(true))])
    }
    let list = DERWriter.value(
      0x31,
      DERWriter.sequence([DERWriter.utf8("11"), DERWriter.value(0x31, entries.reduce([], +))]))
    return DERWriter.sequence([
      DERWriter.context(7, DERWriter.octets(DERWriter.sequence([list])))
    ])
  }
}
