import LogForge
import OpenSSL
import Testing

@testable import AppAttest

/// Receipts of the ordinary form, made by hand: which digests their signature may be over.
@Suite struct `Ordinary receipts` {
  private static let content: [UInt8] = Array("the fields".utf8)
  private static let digest = Digest256.sha256(content.span)

  private static func item(_ identifier: UInt8, _ parts: [UInt8]...) -> [UInt8] {
    DERWriter.value(identifier, parts.flatMap(\.self))
  }

  /// Returns a receipt without certificates. Attributes are the content of the SET, and `wrap` writes what is around it.
  private static func receipt(
    attributes: [UInt8]?, content: [UInt8] = item(0x04, content),
    _ wrap: (UInt8, [[UInt8]]) -> [UInt8] = { DERWriter.value($0, $1.flatMap(\.self)) }
  ) -> [UInt8] {
    let signer = item(
      BERForm.sequence, BERForm.version1, item(BERForm.sequence), BERForm.sha256WithNull,
      attributes.map { item(BERForm.context0, $0) } ?? [], DERForm.ecdsaWithSHA256,
      item(0x04, [1, 2, 3]))
    let encapsulated = wrap(
      BERForm.sequence, [BERForm.data, wrap(BERForm.context0, [content])])
    let data = wrap(
      BERForm.sequence,
      [
        BERForm.versionAndDigest, encapsulated, wrap(BERForm.context0, []),
        item(BERForm.set, signer),
      ])
    return wrap(BERForm.sequence, [BERForm.signedData, wrap(BERForm.context0, [data])])
  }

  private func digests(_ attributes: [UInt8]?) -> [Digest256]? {
    OrdinaryReceipt(Self.receipt(attributes: attributes).span)?.digests
  }

  private static func messageDigest(_ digest: [UInt8]) -> [UInt8] {
    BERForm.messageDigestHead + digest
  }

  @Test func `lengths may be indefinite, and the content in chunks`() {
    let chunks = DERWriter.open(
      BERForm.chunkedOctets, Self.content.map { Self.item(0x04, [$0]) })
    for content in [Self.item(0x04, Self.content), chunks] {
      let receipt = Self.receipt(attributes: nil, content: content, DERWriter.open)
      #expect(OrdinaryReceipt(receipt.span)?.content == Self.content)
      let unended = receipt.dropLast() + [1]
      #expect(OrdinaryReceipt(unended.span) == nil)
    }
  }

  @Test func `without attributes the content is signed`() {
    #expect(digests(nil) == [Self.digest])
  }

  @Test func `attributes with the content's digest are signed, in either order`() {
    let stated = Self.messageDigest(Self.digest.bytes)
    for attributes in [BERForm.contentType + stated, stated + BERForm.contentType] {
      let signed = Self.item(BERForm.set, attributes)
      #expect(digests(attributes) == [Digest256.sha256(signed.span), Self.digest])
    }
  }

  @Test func `attributes of another content vouch for nothing`() {
    var other = Self.digest.bytes
    for index in [0, 31] {
      other[index] ^= 1
      #expect(digests(BERForm.contentType + Self.messageDigest(other)) == [Self.digest])
    }
  }

  @Test func `attributes without a type, or with one more, are not ordinary`() {
    let stated = Self.messageDigest(Self.digest.bytes)
    #expect(digests(stated) == nil)
    #expect(digests(stated.dropLast()) == nil)
    #expect(digests(BERForm.contentType) == nil)
    #expect(digests(BERForm.contentType + stated + BERForm.contentType) == nil)
    #expect(digests(stated + stated) == nil)
  }
}
