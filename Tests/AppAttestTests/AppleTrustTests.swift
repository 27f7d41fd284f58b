import AppAttest
import Foundation
import Testing

struct AppleTrustTests {
  private func fingerprint(_ certificate: [UInt8]) -> String {
    Digest256.sha256(certificate.span).hex
  }

  @Test func `the embedded roots are Apple's`() {
    #expect(
      fingerprint(AppleTrust.appAttestationRootCA)
        == "1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932")
    #expect(
      fingerprint(AppleTrust.rootCAG3)
        == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
  }

  @Test func `anchors that are none are an error`() {
    #expect(throws: TrustAnchorError.self) { try TrustAnchors(der: []) }
    #expect(throws: TrustAnchorError.self) { try TrustAnchors(der: [[1, 2, 3]]) }
    #expect(throws: TrustAnchorError.self) {
      try TrustAnchors.certificates(pem: Array("no certificate".utf8))
    }
    #expect(throws: TrustAnchorError.self) {
      try AttestationVerifier(
        apps: ConfiguredApps([]), trustAnchors: [AppleTrust.appAttestationRootCA],
        receiptAnchors: [])
    }
  }
}
