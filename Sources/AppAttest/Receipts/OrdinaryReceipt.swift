internal import OpenSSL

/// The parts of a receipt as Apple writes it: CMS SignedData (RFC 5652), one digest SHA-256, one
/// signer by ecdsa-with-SHA256 over the content, or attributes of its type and digest. Lengths may
/// be indefinite and the content in chunks. Certificates and signer are compared with those that
/// OpenSSL verified. OpenSSL reads all other forms.
struct OrdinaryReceipt {
  /// The content, its chunks joined.
  let content: [UInt8]
  let certificates: Range<Int>
  /// Issuer and serial number of the signer's certificate.
  let signerName: Range<Int>
  /// The ECDSA-Sig-Value.
  let signature: Range<Int>
  /// The SHA-256 digests that the signature may be over: of attributes, and of the content (`facts.R22`).
  let digests: [Digest256]

  /// Parses a receipt, or returns nil if it has another form, valid or not.
  init?(_ bytes: Span<UInt8>) {
    var all = BERReader(0..<bytes.count)
    guard var info = all.enter(BERForm.sequence, bytes),
      info.der.pass(BERForm.signedData, in: bytes),
      var explicit = info.enter(BERForm.context0, bytes),
      var data = explicit.enter(BERForm.sequence, bytes),
      data.der.pass(BERForm.versionAndDigest, in: bytes),
      var encapsulated = data.enter(BERForm.sequence, bytes),
      encapsulated.der.pass(BERForm.data, in: bytes),
      var slot = encapsulated.enter(BERForm.context0, bytes),
      let content = Self.joinedContent(&slot, bytes), encapsulated.leave(slot, bytes),
      data.leave(encapsulated, bytes), var certificates = data.enter(BERForm.context0, bytes)
    else { return nil }
    let start = certificates.der.offset
    while certificates.der.next(DERReader.sequence, in: bytes) != nil {}
    let included = start..<certificates.der.offset
    guard data.leave(certificates, bytes), let signer = Signer(&data, bytes),
      explicit.leave(data, bytes), info.leave(explicit, bytes), all.leave(info, bytes),
      all.der.isAtEnd
    else { return nil }
    self.content = content
    self.certificates = included
    signerName = signer.name
    signature = signer.signature
    let digest = Digest256.sha256(content.span)
    digests = (signer.attributes?.digest(over: digest, bytes)).map { [$0, digest] } ?? [digest]
  }

  /// Reads one OCTET STRING, or a constructed one of several. Returns the joined content.
  private static func joinedContent(
    _ slot: inout BERReader, _ bytes: Span<UInt8>
  ) -> [UInt8]? {
    if let whole = slot.der.next(DERReader.octetString, in: bytes) {
      return bytes.extracting(whole).copied()
    }
    guard var chunks = slot.enter(BERForm.chunkedOctets, bytes) else { return nil }
    var content: [UInt8] = []
    content.reserveCapacity(chunks.der.end - chunks.der.offset)
    while let chunk = chunks.der.next(DERReader.octetString, in: bytes) {
      content.append(bytes.extracting(chunk))
    }
    return slot.leave(chunks, bytes) ? content : nil
  }

  /// A SET of one SignerInfo.
  private struct Signer {
    let name: Range<Int>
    let attributes: SignedAttributes?
    let signature: Range<Int>

    init?(_ data: inout BERReader, _ bytes: Span<UInt8>) {
      guard let set = data.der.next(DERReader.set, in: bytes),
        let info = DERReader.only(DERReader.sequence, set, in: bytes)
      else { return nil }
      var parts = DERReader(info)
      guard parts.pass(BERForm.version1, in: bytes) else { return nil }
      let start = parts.offset
      guard parts.next(DERReader.sequence, in: bytes) != nil else { return nil }
      name = start..<parts.offset
      guard
        parts.pass(BERForm.sha256WithNull, in: bytes) || parts.pass(BERForm.sha256, in: bytes)
      else { return nil }
      if !parts.isAtEnd, bytes[parts.offset] == BERForm.context0 {
        guard let attributes = SignedAttributes(&parts, bytes) else { return nil }
        self.attributes = attributes
      } else {
        attributes = nil
      }
      guard
        parts.pass(DERForm.ecdsaWithSHA256, in: bytes),
        let signature = parts.next(DERReader.octetString, in: bytes), parts.isAtEnd
      else { return nil }
      self.signature = signature
    }
  }

  /// Signed attributes (RFC 5652, 5.3 and 11): the type id-data and a digest, in either order.
  private struct SignedAttributes {
    /// The range of the attributes with their head.
    private let whole: Range<Int>
    /// The range of the digest in them.
    private let stated: Range<Int>

    init?(_ parts: inout DERReader, _ bytes: Span<UInt8>) {
      let start = parts.offset
      guard let list = parts.next(DERReader.context(0), in: bytes) else { return nil }
      var reader = DERReader(list)
      let typeIsFirst = reader.pass(BERForm.contentType, in: bytes)
      guard reader.pass(BERForm.messageDigestHead, in: bytes),
        list.upperBound - reader.offset >= Digest256.byteCount
      else { return nil }
      stated = reader.offset..<(reader.offset + Digest256.byteCount)
      var rest = DERReader(stated.upperBound..<list.upperBound)
      guard typeIsFirst || rest.pass(BERForm.contentType, in: bytes), rest.isAtEnd else {
        return nil
      }
      whole = start..<list.upperBound
    }

    /// Returns the SHA-256 of the attributes as a SET (RFC 5652, 5.4), or nil if they are of other content.
    func digest(over content: Digest256, _ bytes: Span<UInt8>) -> Digest256? {
      guard Digest256(bytes.extracting(stated)) == content else { return nil }
      let set: [UInt8] = [BERForm.set]
      return Digest256.sha256(set.span, bytes.extracting(whole.dropFirst()))
    }
  }
}

/// A reader of items whose lengths may be indefinite (X.690, 8.1.3.6).
struct BERReader {
  /// The position and the end, for items of definite length.
  var der: DERReader
  /// Whether two zero bytes end the item that is read.
  private var isOpen = false

  init(_ range: Range<Int>) {
    der = DERReader(range)
  }

  /// Reads the head of a constructed item of that identifier. Returns a reader of its content.
  func enter(_ identifier: UInt8, _ bytes: Span<UInt8>) -> BERReader? {
    let start = der.offset
    guard der.end - start >= 2, bytes[start] == identifier else { return nil }
    if bytes[start + 1] == 0x80 {
      var inner = BERReader((start + 2)..<der.end)
      inner.isOpen = true
      return inner
    }
    var definite = der
    guard let item = definite.next(in: bytes) else { return nil }
    return BERReader(item.content)
  }

  /// Passes over an item whose content was read. Returns false if some of the content is left.
  mutating func leave(_ inner: BERReader, _ bytes: Span<UInt8>) -> Bool {
    var rest = inner.der
    guard inner.isOpen ? rest.pass(BERForm.endOfContents, in: bytes) : rest.isAtEnd else {
      return false
    }
    der = DERReader(rest.offset..<der.end)
    return true
  }
}

/// The encodings that an ordinary receipt is made of.
enum BERForm {
  static let sequence: UInt8 = 0x30
  static let set: UInt8 = 0x31
  static let context0: UInt8 = 0xA0
  static let chunkedOctets: UInt8 = 0x24
  static let endOfContents: [UInt8] = [0, 0]
  /// id-signedData (RFC 5652, 5.1).
  static let signedData: [UInt8] = [
    0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02,
  ]
  /// id-data (RFC 5652, 4).
  static let data: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
  static let version1: [UInt8] = [0x02, 0x01, 0x01]
  /// AlgorithmIdentifier id-sha256, with the parameter NULL or without (RFC 5754, 2.2).
  static let sha256WithNull: [UInt8] = [
    0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00,
  ]
  static let sha256: [UInt8] = [
    0x30, 0x0B, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01,
  ]
  /// The attribute id-contentType (RFC 5652, 11.1): id-data.
  static let contentType: [UInt8] =
    [
      0x30, 0x18, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x03, 0x31, 0x0B,
    ] + data
  /// The attribute id-messageDigest (RFC 5652, 11.2) up to the 32 bytes of a digest.
  static let messageDigestHead: [UInt8] = [
    0x30, 0x2F, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x04, 0x31, 0x22, 0x04,
    0x20,
  ]
  /// Version 1, and a SET of that one digest.
  static let versionAndDigest: [UInt8] = version1 + [0x31, 0x0F] + sha256WithNull
}
