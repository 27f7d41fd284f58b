package import AppAttest
import Minting
import OpenSSL

extension OrdinaryAttestation {
  /// Whether its point is on P-256, and each signature holds over one of its digests, all
  /// according to OpenSSL.
  package var holdsByOpenSSL: Bool {
    guard let key = judgement.publicKey else { return false }
    return P256PublicKey.isPoint(key.span) && signatures.allSatisfy(Self.holds)
  }

  private static func holds(_ signature: PendingSignature) -> Bool {
    let oracle = ECDSAOracle(signature.key.curve == .p256 ? .p256 : .p384)
    let size = signature.key.curve.numberBytes
    guard let key = oracle.key(point: [4] + signature.key.coordinates) else { return false }
    return stride(from: 0, to: signature.numbers.count, by: 3 * size).contains { start in
      let numbers = Array(signature.numbers[start..<(start + 3 * size)])
      return oracle.holds(
        MintedSignature(r: Array(numbers[..<size]), s: Array(numbers[size..<2 * size])),
        digest: Array(numbers[(2 * size)...]), key: key)
    }
  }
}
