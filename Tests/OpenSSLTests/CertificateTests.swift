import Foundation
import OpenSSL
import Testing

struct CertificateTests {
  @Test func `validity, point and extensions are read`() throws {
    let leaf = try Certificate(der: pki.leafWithOddUsage)
    #expect(leaf.der == pki.leafWithOddUsage)
    #expect(
      leaf.validity == seconds("2025-06-01T00:00:00Z")...seconds("2026-06-01T00:00:00Z"))
    #expect(leaf.p256Point?.count == 65)
    #expect(leaf.p256Point?.first == 4)
    #expect(leaf.extensionValue("1.2.3.5") == [5, 0])
    #expect(leaf.extensionValue("1.2.3.6") == nil)
    #expect(leaf.extensionValue("no identifier") == nil)
  }

  @Test func `a compressed key gives the uncompressed point`() throws {
    let certificate = try Certificate(der: pki.compressed)
    let point = try #require(certificate.p256Point)
    #expect(point == P256PublicKey.point(spki: pki.uncompressedSPKI))
    #expect(point == P256PublicKey.point(spki: pki.compressedSPKI))
    #expect(point == Array(pki.uncompressedSPKI.suffix(65)))
  }

  @Test func `a key on another curve has no point`() throws {
    #expect(try Certificate(der: pki.leafP384).p256Point == nil)
    #expect(P256PublicKey.point(spki: pki.p384SPKI) == nil)
  }

  @Test func `a certificate cut anywhere, or with a byte more, is none`() {
    for count in 0..<pki.leaf.count {
      #expect(throws: OpenSSLError.self) {
        try Certificate(der: Array(pki.leaf.prefix(count)))
      }
    }
    #expect(throws: OpenSSLError.self) { try Certificate(der: pki.leaf + [0]) }
  }

  @Test func `an indefinite length is not DER`() throws {
    let body = pki.leaf.dropFirst(4)
    #expect(throws: OpenSSLError.self) { try Certificate(der: [0x30, 0x80] + body + [0, 0]) }
  }

  @Test func `no flipped bit makes a trusted certificate`() throws {
    let store = try TrustStore(anchors: [pki.root])
    let others = [try Certificate(der: pki.intermediate)]
    var parsed = 0
    for index in pki.leaf.indices {
      for bit in 0..<8 {
        var bytes = pki.leaf
        bytes[index] ^= 1 << bit
        guard let certificate = try? Certificate(der: bytes) else { continue }
        parsed += 1
        _ = certificate.p256Point
        let verdict = store.verify(
          certificate, others: others, at: seconds("2026-01-15T12:00:00Z")
        ).verdict
        #expect(verdict != .trusted, "byte \(index), bit \(bit)")
      }
    }
    #expect(parsed > 500)
  }

  @Test func `PEM with several certificates gives all of them`() throws {
    func pem(_ der: [UInt8], _ name: String = "CERTIFICATE") -> String {
      let text = Data(der).base64EncodedString(options: [
        .lineLength64Characters, .endLineWithLineFeed,
      ])
      return "-----BEGIN \(name)-----\n\(text)\n-----END \(name)-----\n"
    }
    let text =
      "# roots\n" + pem(pki.root) + "between\n" + pem(pki.compressedSPKI, "PUBLIC KEY")
      + pem(pki.leaf)
    #expect(try Certificate.derFromPEM(Array(text.utf8)) == [pki.root, pki.leaf])
    let broken = pem(pki.root) + pem(Array(pki.leaf.dropLast()))
    #expect(throws: OpenSSLError.self) { try Certificate.derFromPEM(Array(broken.utf8)) }
    for empty in ["", "no certificate", pem(pki.compressedSPKI, "PUBLIC KEY")] {
      #expect(throws: OpenSSLError.self) { try Certificate.derFromPEM(Array(empty.utf8)) }
    }
    let key = pem(pki.uncompressedSPKI, "PUBLIC KEY")
    #expect(
      P256PublicKey.point(pem: Array(key.utf8))
        == P256PublicKey.point(spki: pki.uncompressedSPKI))
    #expect(P256PublicKey.point(pem: Array(pem(pki.root).utf8)) == nil)
    #expect(P256PublicKey.point(pem: []) == nil)
  }
}
