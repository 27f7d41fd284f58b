internal import OpenSSL

/// The parts of a receipt that has the form in which Apple writes it: CMS SignedData (RFC 5652) over
/// data, one digest SHA-256, certificates, one signer without signed attributes, who signs the
/// content by ecdsa-with-SHA256. Lengths may be indefinite and the content in chunks, as BER has it.
///
/// Certificates and signer are not read: they are compared with those of a receipt that OpenSSL
/// verified. OpenSSL reads all that has another form.
struct OrdinaryReceipt {
  /// The content, its chunks joined.
  let content: [UInt8]
  /// All certificates, and behind them issuer and serial number of the signer's.
  let signer: [UInt8]
  /// The ECDSA-Sig-Value.
  let signature: Range<Int>

  /// Nil where the receipt has another form, whether it is valid or not.
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
    while certificates.takesSequence(bytes) {}
    let included = start..<certificates.der.offset
    guard data.leave(certificates, bytes), let signer = Signer(&data, bytes),
      explicit.leave(data, bytes), info.leave(explicit, bytes), all.leave(info, bytes),
      all.der.isAtEnd
    else { return nil }
    self.content = content
    self.signer = bytes.extracting(included).copied() + bytes.extracting(signer.name).copied()
    signature = signer.signature
  }

  /// One OCTET STRING, or a constructed one of several.
  private static func joinedContent(
    _ slot: inout BERReader, _ bytes: Span<UInt8>
  ) -> [UInt8]? {
    var attempt = slot
    if let whole = attempt.der.next(DERReader.octetString, in: bytes) {
      slot = attempt
      return bytes.extracting(whole).copied()
    }
    guard var chunks = slot.enter(BERForm.chunkedOctets, bytes) else { return nil }
    var content: [UInt8] = []
    while true {
      var attempt = chunks
      guard let chunk = attempt.der.next(DERReader.octetString, in: bytes) else { break }
      chunks = attempt
      content += bytes.extracting(chunk).copied()
    }
    return slot.leave(chunks, bytes) ? content : nil
  }

  /// A SET of one SignerInfo.
  private struct Signer {
    let name: Range<Int>
    let signature: Range<Int>

    init?(_ data: inout BERReader, _ bytes: Span<UInt8>) {
      guard let set = data.der.next(DERReader.set, in: bytes) else { return nil }
      var members = DERReader(set)
      guard let info = members.next(DERReader.sequence, in: bytes), members.isAtEnd else {
        return nil
      }
      var parts = DERReader(info)
      guard parts.pass(BERForm.version1, in: bytes) else { return nil }
      let start = parts.offset
      guard parts.next(DERReader.sequence, in: bytes) != nil else { return nil }
      name = start..<parts.offset
      guard
        parts.pass(BERForm.sha256WithNull, in: bytes) || parts.pass(BERForm.sha256, in: bytes),
        parts.pass(DERForm.ecdsaWithSHA256, in: bytes),
        let signature = parts.next(DERReader.octetString, in: bytes), parts.isAtEnd
      else { return nil }
      self.signature = signature
    }
  }
}

/// A reader of items whose lengths may be indefinite, each ended by two zero bytes (X.690, 8.1.3.6).
struct BERReader {
  /// The position, and the end; for items of definite length.
  var der: DERReader
  /// Whether two zero bytes end the item that is read.
  private var isOpen = false

  init(_ range: Range<Int>) {
    der = DERReader(range)
  }

  /// A reader of the content of the next item, which is constructed and has that identifier octet;
  /// ``leave(_:_:)`` passes over the item.
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

  /// Goes on behind an item whose content is read to its end; false where something is left of it.
  mutating func leave(_ inner: BERReader, _ bytes: Span<UInt8>) -> Bool {
    var rest = inner.der
    guard inner.isOpen ? rest.pass(BERForm.endOfContents, in: bytes) : rest.isAtEnd else {
      return false
    }
    der = DERReader(rest.offset..<der.end)
    return true
  }

  /// Passes over a SEQUENCE of definite length; false where none follows.
  mutating func takesSequence(_ bytes: Span<UInt8>) -> Bool {
    var attempt = der
    guard attempt.next(DERReader.sequence, in: bytes) != nil else { return false }
    der = attempt
    return true
  }
}

/// The pieces of an ordinary receipt.
enum BERForm {
  static let sequence: UInt8 = 0x30
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
  /// Version 1, and a SET of that one digest.
  static let versionAndDigest: [UInt8] = version1 + [0x31, 0x0F] + sha256WithNull
}
