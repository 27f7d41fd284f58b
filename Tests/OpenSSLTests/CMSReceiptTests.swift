import OpenSSL
import Testing

struct CMSReceiptTests {
  private static let noon = seconds("2026-01-15T12:00:00Z")

  private func failure(
    _ bytes: [UInt8], anchors: [[UInt8]] = [pki.root], at time: Int64 = noon
  ) throws -> String? {
    let cms = try CMSReceipt(bytes.span)
    let store = try TrustStore(anchors: anchors)
    let first = cms.failure(anchors: store, at: time)
    #expect(cms.failure(anchors: store, at: time) == first)
    return first
  }

  private func content(_ bytes: [UInt8]) throws -> [UInt8] {
    try CMSReceipt(bytes.span).content
  }

  @Test func `signatures over content and over attributes hold`() throws {
    for bytes in [
      cms.plain, cms.attributes, cms.stream, cms.twoSigners,
    ] {
      #expect(try failure(bytes) == nil)
      #expect(try content(bytes) == signedContent)
    }
  }

  @Test func `as in 2020, a signature over the content holds although attributes are present`()
    throws
  {
    #expect(try failure(cms.contentSigned) == nil)
  }

  @Test func `every signer has to carry the marker that is demanded`() throws {
    let store = try TrustStore(anchors: [pki.root])
    for bytes in [cms.plain, cms.attributes, cms.twoSigners] {
      let cms = try CMSReceipt(bytes.span)
      // Basic constraints, which the leaf has; then Apple's marker, which it has not.
      #expect(cms.failure(anchors: store, at: Self.noon, marker: "2.5.29.19") == nil)
      let marker = "1.2.840.113635.100.12.15"
      #expect(
        cms.failure(anchors: store, at: Self.noon, marker: marker)
          == "its signer's certificate does not carry the extension \(marker) of receipt signers")
    }
  }

  @Test func `other content, a bad second signer, and no signer do not hold`() throws {
    #expect(try failure(cms.otherContent) == "its signature is invalid")
    #expect(try failure(cms.secondSignerBad) == "its signature is invalid")
    #expect(try failure(cms.noSigner) == "it has no signer")
    #expect(try failure(cms.manySigners) == "it has more than 8 signers")
    #expect(try failure(cms.withoutCertificate) == "a signer's certificate is not inside")
    #expect(try failure(cms.sha1) == "its signature is invalid")
  }

  @Test func `the signer has to chain to an anchor at the time`() throws {
    let stranger = try failure(cms.plain, anchors: [pki.impostorRoot])
    #expect(stranger?.hasPrefix("its signer is not trusted") == true)
    let late = try failure(cms.plain, at: seconds("2026-06-01T00:00:01Z"))
    #expect(
      late?.hasPrefix("a certificate of its signer's chain is not valid at that time, ") == true)
    #expect(
      late?.contains(": its signer's certificate is valid from 2025-06-01T00:00:00Z to ") == true)
  }

  @Test func `a signer is known for the time in which all of its chain is valid`() throws {
    let store = try TrustStore(anchors: [pki.root])
    var signer: VerifiedSigner?
    let receipt = try CMSReceipt(cms.plain.span)
    #expect(receipt.failure(anchors: store, at: Self.noon, marker: nil, signer: &signer) == nil)
    #expect(
      signer?.validity == seconds("2025-06-01T00:00:00Z")...seconds("2026-06-01T00:00:00Z"))
  }

  @Test func `content has to be inside`() {
    #expect(throws: OpenSSLError.self) { try content(cms.detached) }
  }

  @Test func `a receipt cut anywhere, or with a byte more, is none`() {
    for bytes in [cms.plain, cms.stream] {
      for count in 0..<bytes.count {
        let cut = Array(bytes.prefix(count))
        #expect(throws: OpenSSLError.self) { try content(cut) }
      }
      let longer = bytes + [0]
      #expect(throws: OpenSSLError.self) { try content(longer) }
    }
  }

  @Test func `no flipped bit changes the content of a receipt that holds`() throws {
    let store = try TrustStore(anchors: [pki.root])
    for original in [cms.plain, cms.stream, cms.attributes] {
      for index in original.indices {
        var bytes = original
        bytes[index] ^= 1 << UInt8(index % 8)
        guard let cms = try? CMSReceipt(bytes.span) else { continue }
        if cms.failure(anchors: store, at: Self.noon) == nil {
          #expect(cms.content == signedContent, "byte \(index)")
        }
      }
    }
  }

  @Test func `nested and giant lengths are refused`() {
    for bomb in [
      [UInt8](repeating: 0x30, count: 60_000),
      (0..<20_000).flatMap { _ in [0x30, 0x80] },
      (0..<20_000).flatMap { _ in [0x24, 0x80] },
      [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x30, 0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
    ] as [[UInt8]] {
      #expect(throws: OpenSSLError.self) { try content(bomb) }
    }
  }
}
