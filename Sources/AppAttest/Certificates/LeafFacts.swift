internal import OpenSSL

/// The facts of the leaf certificate that the checks of an attestation look at, beside the chain.
struct LeafFacts {
  let der: [UInt8]
  /// Its X9.62 uncompressed point, or nil if its key is not on P-256.
  let publicKey: [UInt8]?
  let nonce: Digest256?
  let origin: KeyOrigin
  /// The serial number as milliseconds since 1970 (`facts.R35`), or nil if the leaf was not valid then.
  let serialTime: Int64?

  init(_ leaf: Certificate) {
    der = leaf.der
    publicKey = leaf.p256Point
    nonce = LeafExtensions.nonce(leaf)
    origin = KeyOrigin(leaf)
    serialTime = Self.time(serial: leaf.serialNumber.span, within: leaf.validity)
  }

  /// Makes the facts of a leaf whose point is still to be checked to be on P-256.
  init(_ leaf: OrdinaryLeaf, of bytes: [UInt8]) {
    let span = bytes.span
    der = bytes
    publicKey = span.extracting(leaf.point).copied()
    nonce = leaf.extensions.nonce
    origin = KeyOrigin(
      app: span.extracting(leaf.extensions.app), device: span.extracting(leaf.extensions.device),
      accessControl: span.extracting(leaf.extensions.accessControl))
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
