internal import OpenSSL

/// The facts of the leaf certificate that the checks of an attestation look at, beside the chain.
struct LeafFacts {
  /// The certificate, in DER.
  let der: [UInt8]
  /// Its X9.62 uncompressed point, or nil if its key is not on P-256.
  let publicKey: [UInt8]?
  /// The nonce, or nil if the certificate holds none.
  let nonce: Digest256?
  /// The OS version, or empty if it cannot be read.
  let osVersion: String
  let isMacOS: Bool
  /// The access control of a leaf of macOS, or nil if it has none.
  let accessControl: [UInt8]?
  /// The serial number as a time in milliseconds since 1970 (`facts.R35`), or nil unless it has 6 bytes
  /// and the leaf was valid then.
  let serialTime: Int64?

  init(_ leaf: Certificate) {
    func value(_ identifier: String) -> [UInt8] { leaf.extensionValue(identifier) ?? [] }
    let device = value(LeafExtensions.deviceIdentifier)
    der = leaf.der
    publicKey = leaf.p256Point
    nonce = LeafExtensions.nonce(leaf)
    osVersion = LeafExtensions.osVersion(inside: device.span)
    isMacOS = LeafExtensions.isMacOS(
      app: value(LeafExtensions.appIdentifier).span, device: device.span)
    accessControl =
      isMacOS
      ? LeafExtensions.accessControl(
        inside: value(LeafExtensions.accessControlIdentifier).span) : nil
    serialTime = Self.time(serial: leaf.serialNumber.span, within: leaf.validity)
  }

  /// Makes the facts of a leaf whose point is still to be checked to be on P-256.
  init(_ leaf: OrdinaryLeaf, of bytes: [UInt8]) {
    let span = bytes.span
    let device = span.extracting(leaf.device)
    der = bytes
    publicKey = span.extracting(leaf.point).copied()
    nonce = leaf.nonce
    osVersion = LeafExtensions.osVersion(inside: device)
    isMacOS = LeafExtensions.isMacOS(app: span.extracting(leaf.app), device: device)
    accessControl =
      isMacOS ? LeafExtensions.accessControl(inside: span.extracting(leaf.accessControl)) : nil
    serialTime = Self.time(serial: span.extracting(leaf.serial), within: leaf.validity)
  }

  private static func time(serial: Span<UInt8>, within validity: ClosedRange<Int64>?) -> Int64? {
    let byteCount = 6
    guard serial.count == byteCount, let validity else { return nil }
    var time: Int64 = 0
    for index in 0..<byteCount { time = time << 8 | Int64(serial[index]) }
    return validity.contains(wholeSeconds(time)) ? time : nil
  }
}
