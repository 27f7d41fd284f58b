internal import OpenSSL

enum LeafExtensions {
  private static let nonceIdentifier = "1.2.840.113635.100.8.2"
  static let appIdentifier = "1.2.840.113635.100.8.5"
  static let accessControlIdentifier = "1.2.840.113635.100.8.6"
  static let deviceIdentifier = "1.2.840.113635.100.8.7"
  private static let platformKindTag = DERReader.context(4)
  private static let accessControlTag = DERReader.context(3)
  private static let platformTag = DERReader.context(1026)
  private static let appIDTag = DERReader.context(1204)
  private static let osVersionTag = DERReader.context(1400)
  /// The length of the longest text that is accepted as an OS version, in bytes.
  private static let osVersionLimit = 64
  /// The length of the longest text that is accepted as an App ID, in bytes.
  private static let appIDLimit = 255

  static func nonce(_ leaf: Certificate) -> Digest256? {
    leaf.extensionValue(nonceIdentifier).flatMap { nonce(inside: $0.span) }
  }

  /// Returns the nonce of 1.2.840.113635.100.8.2: SEQUENCE { [1] { OCTET STRING of 32 } }, or nil.
  static func nonce(inside bytes: Span<UInt8>) -> Digest256? {
    guard let sequence = DERReader.only(DERReader.sequence, 0..<bytes.count, in: bytes),
      let tagged = DERReader.only(DERReader.context(1), sequence, in: bytes),
      let value = DERReader.only(DERReader.octetString, tagged, in: bytes)
    else { return nil }
    return Digest256(bytes.extracting(value))
  }

  /// Returns the App ID of 1.2.840.113635.100.8.5, [1204], or nil if it cannot be read.
  static func appID(_ leaf: Certificate) -> String? {
    leaf.extensionValue(appIdentifier).flatMap {
      text(inside: $0.span, tag: appIDTag, limit: appIDLimit)
    }
  }

  /// Returns the OS version in 1.2.840.113635.100.8.7, [1400], or an empty string.
  static func osVersion(inside bytes: Span<UInt8>) -> String {
    text(inside: bytes, tag: osVersionTag, limit: osVersionLimit) ?? ""
  }

  /// Returns whether a leaf is of macOS (`facts.R37`): [1026] of the extension
  /// 1.2.840.113635.100.8.7 (`device`) is `macosx`, or [4] of …8.5 (`app`) is 13. Each is empty if
  /// there is none.
  static func isMacOS(app: Span<UInt8>, device: Span<UInt8>) -> Bool {
    let platform = value(inside: device, tag: platformTag)?.content ?? 0..<0
    let kind = value(inside: app, tag: platformKindTag)?.content ?? 0..<0
    return device.extracting(platform).equals("macosx")
      || (kind.count == 1 && app[kind.lowerBound] == 13)
  }

  /// Returns the octets in the value of 1.2.840.113635.100.8.6: SEQUENCE { [3] { OCTET STRING } }.
  static func accessControl(inside bytes: Span<UInt8>) -> [UInt8]? {
    guard let value = value(inside: bytes, tag: accessControlTag),
      value.tag == DERReader.octetString
    else { return nil }
    return bytes.extracting(value.content).copied()
  }

  /// Apple's access control for full security (`facts.R36`): rules for `ok`, `oa`, `odel`, `osgn`.
  static let fullSecurity: [UInt8] = [
    0x30, 0x40, 0x0C, 0x02, 0x31, 0x31, 0x30, 0x3A, 0x30, 0x09, 0x0C, 0x02, 0x6F, 0x6B, 0xA1, 0x03,
    0x01, 0x01, 0xFF, 0x30, 0x09, 0x0C, 0x02, 0x6F, 0x61, 0xA1, 0x03, 0x01, 0x01, 0xFF, 0x30, 0x0B,
    0x0C, 0x04, 0x6F, 0x64, 0x65, 0x6C, 0xA1, 0x03, 0x01, 0x01, 0xFF, 0x30, 0x15, 0x0C, 0x04, 0x6F,
    0x73, 0x67, 0x6E, 0xA0, 0x06, 0x0C, 0x04, 0x72, 0x73, 0x65, 0x63, 0x30, 0x05, 0xA6, 0x03, 0x02,
    0x01, 0x01,
  ]

  /// Returns the UTF-8 of the OCTET STRING under a tag of a SEQUENCE of tagged values.
  private static func text(inside bytes: Span<UInt8>, tag: UInt64, limit: Int) -> String? {
    guard let value = value(inside: bytes, tag: tag), value.tag == DERReader.octetString,
      value.content.count <= limit
    else { return nil }
    let text = bytes.extracting(value.content)
    return text.isUTF8 ? text.text : nil
  }

  /// Returns the value under a tag of an extension that is a SEQUENCE of tagged values.
  private static func value(inside bytes: Span<UInt8>, tag: UInt64) -> DERReader.Item? {
    var outer = DERReader(0..<bytes.count)
    guard let sequence = outer.next(DERReader.sequence, in: bytes) else { return nil }
    var fields = DERReader(sequence)
    while let field = fields.next(in: bytes) {
      guard field.tag == tag else { continue }
      var inner = DERReader(field.content)
      return inner.next(in: bytes)
    }
    return nil
  }
}
