import AppAttest
import TestSupport
import Testing

@Suite(.enabled(if: Genuine.isPresent, Genuine.comment))
struct AttestationObjectTests {
  private static let vector = Genuine.named("apple-guide-2026-ios27")
  private let parts = made { try AttestationPieces(Self.vector.tokenBytes) }

  private func isTaken(_ token: [UInt8]) -> Bool {
    (try? AttestationObject.parse(token.span)) != nil
  }

  private func isTaken(_ change: (inout AttestationPieces) -> Void) -> Bool {
    var changed = parts
    change(&changed)
    return isTaken(changed.token)
  }

  @Test func `cut anywhere, or with a byte more, it is malformed`() {
    let token = Self.vector.tokenBytes
    #expect(isTaken(token))
    for count in 0..<token.count { #expect(!isTaken(Array(token.prefix(count)))) }
    #expect(!isTaken(token + [0]))
  }

  @Test func `authData is cut nowhere, and followed by one map at most`() {
    let plain = 164
    for count in 0..<parts.authData.count where count != plain {
      #expect(!isTaken { $0.authData = Array($0.authData.prefix(count)) }, "\(count)")
    }
    #expect(isTaken { $0.authData = Array($0.authData.prefix(plain)) })
    for tail in [[0x00], [0xA0], [0xF6]] as [[UInt8]] {
      #expect(!isTaken { $0.authData += tail })
    }
    #expect(isTaken { $0.authData = $0.authData.prefix(plain) + [0xA0] })
    #expect(!isTaken { $0.authData = $0.authData.prefix(plain) + [0x80] })
    // A credential identifier that is longer than all there is, or leaves no COSE map.
    #expect(!isTaken { $0.authData[53] = 0xFF })
    #expect(!isTaken { $0.authData[54] = 0x21 })
  }
}

struct AuthenticatorDataTests {
  @Test(arguments: [(36, true), (37, false)])
  func `authenticator data that ends early is told by where it does`(
    _ count: Int, _ isTooShort: Bool
  ) throws {
    let error = #expect(throws: MalformedToken.self) {
      try AuthenticatorData.parseAttestation([UInt8](repeating: 0, count: count).span)
    }
    #expect(error?.reason.contains("shorter than 37 bytes") == isTooShort)
  }
}
