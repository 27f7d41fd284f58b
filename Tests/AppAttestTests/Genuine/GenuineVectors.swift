import AppAttest
import Foundation
import TestSupport
import Testing

typealias GenuineVector = VectorFile

extension VectorFile {
  var tokenBytes: [UInt8] { Array(Data(base64Encoded: token)!) }
  var keyIdentifier: Digest256 { Digest256(Array(Data(base64Encoded: keyId!)!))! }
  var clientDataHash: [UInt8] { Array(Data(base64Encoded: clientDataHashBase64!)!) }
  var publicKey: [UInt8] { Array(Data(base64Encoded: publicKeyX962Base64!)!) }
  /// When the attestation was made, by its receipt if it has one: `verifiedAt` of some is only a time
  /// at which the certificates are valid. Milliseconds since 1970.
  var madeAt: Int64 {
    guard hasReceipt else { return time }
    return made {
      let object = try AttestationObject.parse(tokenBytes.span)
      return try Receipt.parse(object.receipt.span).creationTime!
    }
  }
  /// The facts about the build that Apple's system signed.
  var signedExtensions: AuthenticatorExtensions {
    get throws {
      kind == "assertion"
        ? try Assertion.parse(tokenBytes.span).extensions
        : try AttestationObject.parse(tokenBytes.span).authenticatorData.extensions
    }
  }
  var hasReceipt: Bool { receipt != "absent" }
  /// Milliseconds since 1970.
  var time: Int64 {
    let date = VectorFile.date(verifiedAt!)
    return Int64((date.timeIntervalSince1970 * 1000).rounded())
  }
}

/// The genuine vectors. Tests that need them are skipped where they are absent.
enum Genuine {
  static let isPresent = VectorFile.isPresent
  static let comment: Comment = "the genuine vectors are not beside this package"

  static let all = VectorFile.all

  static func named(_ name: String) -> GenuineVector {
    all.first { $0.name == name }!
  }

  static func attestations() -> [GenuineVector] {
    all.filter { $0.kind == "attestation" && $0.expected == "valid" }
  }

  /// Makes a verifier with Apple's anchors that knows the vector's app.
  static func verifier(
    for vector: GenuineVector, receipts: ReceiptPolicy = .verify, caching: Bool = true
  ) throws -> AttestationVerifier {
    let own: AttestEnvironment = vector.environment == "production" ? .production : .development
    return try AttestationVerifier(
      apps: ConfiguredApps([AppPolicy(id: vector.appId!, environments: [own])]),
      trustAnchors: [AppleTrust.appAttestationRootCA], receiptAnchors: [AppleTrust.rootCAG3],
      receipts: receipts, caching: caching)
  }
}

extension AttestationVerifier {
  /// Judges a vector, or a token made of one.
  func judge(
    _ vector: GenuineVector, token: [UInt8]? = nil, appID: String?? = nil, time: Int64? = nil
  ) -> AttestationJudgement {
    let (token, hash) = (token ?? vector.tokenBytes, vector.clientDataHash)
    return judge(
      token: token.span, keyIdentifier: vector.keyIdentifier, clientDataHash: hash.span,
      appID: appID ?? vector.appId, time: time ?? vector.madeAt)
  }
}

extension AttestationJudgement {
  /// The codes found, or nil if the token was malformed.
  var checks: [AttestationCheck]? {
    guard case .judged(let judged) = self else { return nil }
    return judged.failures.map(\.check)
  }

  var judged: JudgedAttestation? {
    guard case .judged(let judged) = self else { return nil }
    return judged
  }
}
