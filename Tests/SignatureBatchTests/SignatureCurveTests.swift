import Minting
import SignatureBatch
import TestSupport
import Testing

struct SignatureCurveTests {
  @Test(arguments: SignatureCurve.allCases)
  func `a point is told from what is none as OpenSSL tells it`(curve: SignatureCurve) throws {
    var random = Generator(5)
    let signer = MintingSigner(curve == .p256 ? .p256 : .p384)
    let oracle = ECDSAOracle(curve == .p256 ? .p256 : .p384)
    for _ in 0..<40 {
      let point = signer.publicPoint(of: random.bytes(curve.numberBytes))
      let isPoint = curve.isPoint(point.span)
      #expect(isPoint)
      var other = point
      other[1 + random.below(other.count - 1)] ^= 1 << UInt8(random.below(8))
      let isStillPoint = curve.isPoint(other.span)
      #expect(isStillPoint == (oracle.key(point: other) != nil))
      for first in [0, 2, 5, 6, 7] as [UInt8] {
        let otherForm = [first] + point.dropFirst()
        let isOther = curve.isPoint(otherForm.span)
        #expect(!isOther)
      }
    }
  }

  @Test(arguments: SignatureCurve.allCases)
  func `numbers of another length, of the prime or above, and none at all are no point`(
    curve: SignatureCurve
  ) {
    let length = curve.keyBytes
    for bytes in [
      [], [4], [4] + [UInt8](repeating: 0, count: length),
      [4] + [UInt8](repeating: 0xFF, count: length),
      [UInt8](repeating: 4, count: length + 2), [UInt8](repeating: 4, count: length),
    ] {
      let isPoint = curve.isPoint(bytes.span)
      #expect(!isPoint)
    }
  }
}
