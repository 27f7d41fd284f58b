import OpenSSL

@testable import LogForge

/// One authority for all tests: the same at every run.
enum Minted {
  static let authority = Result {
    try SyntheticAuthority(seed: 42, SigningTools())
  }
  /// 2026-03-01T00:00:00Z.
  static let seconds = TrafficPlan.dayStart / 1000

  /// Returns true if the verifier's own code takes the signature.
  static func holds(_ digest: [UInt8], _ der: [UInt8], point: [UInt8]) -> Bool {
    guard let key = P256PublicKey(point: point.span) else { return false }
    return P256Verifier().verify(digest: digest.span, signatureDER: der.span, key: key)
  }
}
