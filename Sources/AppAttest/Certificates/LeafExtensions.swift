internal import OpenSSL

/// Apple's extensions of a leaf certificate.
enum LeafExtensions {
  private static let nonceIdentifier = "1.2.840.113635.100.8.2"
  private static let appIdentifier = "1.2.840.113635.100.8.5"
  private static let deviceIdentifier = "1.2.840.113635.100.8.7"
  private static let appIDTag = DERReader.context(1204)
  private static let osVersionTag = DERReader.context(1400)
  /// The length of the longest text that is accepted as an OS version, in bytes.
  private static let osVersionLimit = 64
  /// The length of the longest text that is accepted as an App ID, in bytes.
  private static let appIDLimit = 255

  /// Returns the nonce of a leaf, or nil if there is none.
  static func nonce(_ leaf: Certificate) -> Digest256? {
    leaf.extensionValue(nonceIdentifier).flatMap { nonce(inside: $0.span) }
  }

  /// Returns the nonce of 1.2.840.113635.100.8.2: SEQUENCE { [1] { OCTET STRING of 32 } }, and
  /// nothing else in it, or nil if there is none.
  static func nonce(inside bytes: Span<UInt8>) -> Digest256? {
    var outer = DERReader(0..<bytes.count)
    guard let sequence = outer.next(DERReader.sequence, in: bytes), outer.isAtEnd else {
      return nil
    }
    var middle = DERReader(sequence)
    guard let tagged = middle.next(DERReader.context(1), in: bytes), middle.isAtEnd else {
      return nil
    }
    var inner = DERReader(tagged)
    guard let value = inner.next(DERReader.octetString, in: bytes), inner.isAtEnd else {
      return nil
    }
    return Digest256(bytes.extracting(value))
  }

  /// Returns the App ID of 1.2.840.113635.100.8.5, [1204], or nil if it cannot be read.
  static func appID(_ leaf: Certificate) -> String? {
    leaf.extensionValue(appIdentifier).flatMap {
      text(inside: $0.span, tag: appIDTag, limit: appIDLimit)
    }
  }

  /// Returns the OS version of 1.2.840.113635.100.8.7, [1400], or an empty string if it cannot be
  /// read. An unreadable one is never held against an attestation.
  static func osVersion(_ leaf: Certificate) -> String {
    leaf.extensionValue(deviceIdentifier).map { osVersion(inside: $0.span) } ?? ""
  }

  /// Returns the OS version in the value of that extension, or an empty string if it cannot be
  /// read.
  static func osVersion(inside bytes: Span<UInt8>) -> String {
    text(inside: bytes, tag: osVersionTag, limit: osVersionLimit) ?? ""
  }

  /// Returns the UTF-8 of the OCTET STRING under a tag of an extension that is a SEQUENCE of tagged
  /// values.
  private static func text(inside bytes: Span<UInt8>, tag: UInt64, limit: Int) -> String? {
    var outer = DERReader(0..<bytes.count)
    guard let sequence = outer.next(DERReader.sequence, in: bytes) else { return nil }
    var fields = DERReader(sequence)
    while let field = fields.next(in: bytes) {
      guard field.tag == tag else { continue }
      var inner = DERReader(field.content)
      guard let value = inner.next(DERReader.octetString, in: bytes), value.count <= limit else {
        return nil
      }
      let text = bytes.extracting(value)
      return text.isUTF8 ? text.text : nil
    }
    return nil
  }
}
