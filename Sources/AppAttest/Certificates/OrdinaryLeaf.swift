internal import OpenSSL

/// The positions of the parts of a leaf as Apple writes it: X.509 v3, ecdsa-with-SHA256, a key on
/// the named curve P-256, a few known extensions, each at most once. It leaves open only its
/// issuer, its validity, its signature, and whether its point is on the curve. OpenSSL reads all
/// others.
struct OrdinaryLeaf {
  let signed: Range<Int>
  /// The issuer's Name with its head.
  let issuer: Range<Int>
  /// The validity in seconds since 1970, bounds included.
  let validity: ClosedRange<Int64>
  /// The public key as an X9.62 uncompressed point, 65 bytes: 04 ‖ x ‖ y.
  let point: Range<Int>
  let serial: Range<Int>
  let extensions: OrdinaryExtensions
  /// The ECDSA-Sig-Value.
  let signature: Range<Int>

  /// Parses a certificate, or returns nil if it has another form, valid or not.
  init?(_ bytes: Span<UInt8>) {
    guard let certificate = DERReader.only(DERReader.sequence, 0..<bytes.count, in: bytes) else {
      return nil
    }
    var parts = DERReader(certificate)
    guard let body = parts.next(DERReader.sequence, in: bytes) else { return nil }
    signed = certificate.lowerBound..<parts.offset
    guard parts.pass(DERForm.ecdsaWithSHA256, in: bytes),
      let bits = parts.next(DERForm.bitString, in: bytes), parts.isAtEnd, bits.count > 1,
      bytes[bits.lowerBound] == 0
    else { return nil }
    signature = bits.dropFirst()
    var reader = DERReader(body)
    guard reader.pass(DERForm.version3, in: bytes), let serial = DERForm.serial(&reader, bytes),
      reader.pass(DERForm.ecdsaWithSHA256, in: bytes)
    else { return nil }
    self.serial = serial
    let issuerStart = reader.offset
    guard reader.next(DERReader.sequence, in: bytes) != nil else { return nil }
    issuer = issuerStart..<reader.offset
    guard let times = reader.next(DERReader.sequence, in: bytes),
      let validity = DERForm.validity(times, bytes),
      let subject = reader.next(DERReader.sequence, in: bytes),
      DERForm.isPlainName(subject, bytes),
      // A name of its own, so that it cannot be taken for its own issuer.
      !bytes.extracting(issuer.suffix(subject.count)).equals(bytes.extracting(subject)),
      reader.pass(DERForm.p256KeyHead, in: bytes), body.upperBound - reader.offset > 65
    else { return nil }
    self.validity = validity
    point = reader.offset..<(reader.offset + 65)
    var rest = DERReader(point.upperBound..<body.upperBound)
    guard bytes[point.lowerBound] == 4,
      let content = rest.next(DERReader.context(3), in: bytes), rest.isAtEnd,
      let extensions = OrdinaryExtensions(content, in: bytes)
    else { return nil }
    self.extensions = extensions
  }
}

/// The extensions of a leaf in its ordinary form: the nonce of 1.2.840.113635.100.8.2, and the positions of the
/// values of 5, 6 and 7, each empty if there is none.
struct OrdinaryExtensions {
  let nonce: Digest256
  private(set) var app = 0..<0
  private(set) var accessControl = 0..<0
  private(set) var device = 0..<0

  /// The highest number of Apple's own extensions, which are not critical.
  private static let highestNumber: UInt8 = 15

  init?(_ range: Range<Int>, in bytes: Span<UInt8>) {
    guard let list = DERReader.only(DERReader.sequence, range, in: bytes) else { return nil }
    var reader = DERReader(list)
    var isBasic = false
    var hasUsage = false
    var hasExtendedUsage = false
    /// A set of bits, one for each number of Apple's own extensions that was met.
    var numbers: UInt16 = 0
    var nonce: Range<Int>?
    while !reader.isAtEnd {
      guard let item = reader.next(DERReader.sequence, in: bytes) else { return nil }
      var one = DERReader(item)
      if one.pass(DERForm.basicConstraints, in: bytes) {
        guard !isBasic, one.isAtEnd else { return nil }
        isBasic = true
      } else if one.pass(DERForm.keyUsage, in: bytes) {
        guard !hasUsage, one.isAtEnd else { return nil }
        hasUsage = true
      } else if one.pass(DERForm.extendedKeyUsage, in: bytes) {
        guard !hasExtendedUsage, let value = one.next(DERReader.octetString, in: bytes),
          one.isAtEnd, DERForm.isListOfIdentifiers(value, bytes)
        else { return nil }
        hasExtendedUsage = true
      } else {
        guard one.pass(DERForm.appleExtension, in: bytes), let number = one.nextByte(in: bytes),
          number <= Self.highestNumber, numbers & 1 << number == 0,
          let value = one.next(DERReader.octetString, in: bytes), one.isAtEnd
        else { return nil }
        numbers |= 1 << number
        switch number {
        case 2: nonce = value
        case 5: app = value
        case 6: accessControl = value
        case 7: device = value
        default: break
        }
      }
    }
    guard isBasic, hasUsage, let nonce,
      let stated = LeafExtensions.nonce(inside: bytes.extracting(nonce))
    else { return nil }
    self.nonce = stated
  }
}
