import AppAttest
import AuditEngine
import Foundation
import Minting

@testable import Investigation

/// A key and assertions under it, made for tests.
struct MadeKey {
  let secret: [UInt8]
  let point: [UInt8]

  static let app = "TEAM.com.example.app"
  static let settings = AuditConfiguration(
    inputs: [], apps: [AppPolicy(id: app), AppPolicy(id: "TEAM.com.example.other")],
    trustAnchors: [AppleTrust.appAttestationRootCA], receiptAnchors: [AppleTrust.rootCAG3],
    limits: AuditLimits(memory: 1 << 28, jobs: 1, tempDirectory: NSTemporaryDirectory()))

  init(_ seed: UInt8) throws {
    secret = [UInt8](repeating: seed, count: 32)
    point = MintingSigner(.p256).publicPoint(of: secret)
  }

  var id: Digest256 { .sha256(point.span) }

  /// An assertion over a clientDataHash; `once` signs the nonce as if it were the digest.
  func assertion(
    over hash: [UInt8], app: String = MadeKey.app, counter: UInt8 = 1, once: Bool = false
  ) throws -> [UInt8] {
    let data = Digest256.sha256(Array(app.utf8).span).bytes + [0x40, 0, 0, 0, counter]
    let nonce = Digest256.sha256(data.span, hash.span)
    let digest = once ? nonce : Digest256.sha256(nonce.bytes.span)
    let signer = MintingSigner(.p256)
    let signature = signer.sign(digest.bytes, secret: secret)
    return [0xA2] + Self.text("signature") + Self.bytes(Self.der(signature))
      + Self.text("authenticatorData") + Self.bytes(data)
  }

  /// A line of the default schema.
  func line(
    _ token: [UInt8], payload: String, more: [String: String] = [:]
  ) throws -> [UInt8] {
    var fields: [String: Any] = more
    fields["time"] = "2026-03-01T12:00:00Z"
    fields["keyId"] = Data(id.bytes).base64EncodedString()
    fields["token"] = Data(token).base64EncodedString()
    fields["payload"] = payload
    return Array(try JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys]))
  }

  private static func der(_ signature: MintedSignature) -> [UInt8] {
    func integer(_ number: [UInt8]) -> [UInt8] {
      var digits = Array(number.drop { $0 == 0 })
      if digits.isEmpty || digits[0] >= 0x80 { digits.insert(0, at: 0) }
      return [0x02, UInt8(digits.count)] + digits
    }
    let content = integer(signature.r) + integer(signature.s)
    return [0x30, UInt8(content.count)] + content
  }

  private static func text(_ text: String) -> [UInt8] {
    [0x60 + UInt8(text.utf8.count)] + Array(text.utf8)
  }

  private static func bytes(_ bytes: [UInt8]) -> [UInt8] { [0x58, UInt8(bytes.count)] + bytes }
}

/// SHA-256 of a text.
func sha256(_ text: String) -> [UInt8] { Digest256.sha256(Array(text.utf8).span).bytes }
