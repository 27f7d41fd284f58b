internal import AppAttest
internal import AuditEngine
internal import Basics
internal import OpenSSL

extension Inspection.CertificateFacts {
  /// The names of extensions that occur in Apple's certificates.
  private static let names = [
    "1.2.840.113635.100.4.24": "usage App Attest", "1.2.840.113635.100.6.2.3": "Apple WWDR CA",
    "1.2.840.113635.100.8.2": "nonce", "1.2.840.113635.100.8.5": "App ID",
    "1.2.840.113635.100.8.6": "access control", "1.2.840.113635.100.8.7": "OS version",
    "1.2.840.113635.100.12.15": "receipt signer", "2.5.29.14": "subject key identifier",
    "2.5.29.15": "key usage", "2.5.29.17": "subject alternative name",
    "2.5.29.19": "basic constraints", "2.5.29.30": "name constraints", "2.5.29.31": "CRL points",
    "2.5.29.32": "policies", "2.5.29.35": "authority key identifier",
    "2.5.29.37": "extended key usage", "1.3.6.1.5.5.7.1.1": "authority access",
  ]

  /// Reads the facts of a certificate. `known` has texts for the values of extensions, by
  /// identifier.
  init(_ certificate: Certificate, role: String, known: [String: String] = [:]) {
    self.role = role
    subject = certificate.subjectText
    issuer = certificate.issuerText
    serial = DetailText.hex(certificate.serialNumber)
    validity =
      certificate.validity.map {
        "\(CivilTime.text(seconds: $0.lowerBound)) to \(CivilTime.text(seconds: $0.upperBound))"
      } ?? "not readable"
    let der = certificate.der
    sha256 = Digest256.sha256(der.span).hex
    extensions = certificate.extensions.map { one in
      let name = Self.names[one.identifier].map { " \($0)" } ?? ""
      return Inspection.Field(
        one.identifier + name + (one.isCritical ? " (critical)" : ""),
        known[one.identifier] ?? DetailText.hex(one.value))
    }
  }

  /// Returns the certificates of an attestation, and the issuer of each.
  static func chain(_ object: AttestationObject, osVersion: String) -> [Self] {
    var known: [String: String] = [:]
    known["1.2.840.113635.100.8.2"] = object.leafNonce?.hex
    known["1.2.840.113635.100.8.5"] = object.leafAppID
    if !osVersion.isEmpty { known["1.2.840.113635.100.8.7"] = osVersion }
    return object.x5c.enumerated().map { index, certificate in
      Self(
        certificate, role: index == 0 ? "leaf" : "x5c[\(index)]",
        known: index == 0 ? known : [:])
    }
  }

  /// Returns the certificates inside a receipt.
  static func receipt(_ bytes: [UInt8]) -> [Self] {
    guard let cms = try? CMSReceipt(bytes.span) else { return [] }
    return cms.certificates.enumerated().map { Self($1, role: "receipt[\($0)]") }
  }
}
