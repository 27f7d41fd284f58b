import Minting
import OpenSSL
import SignatureBatch
import TestSupport
import Testing

/// Project Wycheproof's cases, which lie outside the repository.
struct WycheproofBatchTests {
  /// One file of cases.
  struct File: Sendable, CustomTestStringConvertible {
    var curve: SignatureCurve
    var hash: String
    var count: Int
    var testDescription: String { "\(curve), \(hash)" }

    /// The leftmost bits of a message's digest, as many bytes as a number of the curve.
    func digest(_ message: [UInt8]) -> [UInt8] {
      let digest =
        switch hash {
        case "sha256": MintingDigest.sha256(message)
        case "sha384": MintingDigest.sha384(message)
        default: MintingDigest.sha512(message)
        }
      let missing = max(0, curve.numberBytes - digest.count)
      return [UInt8](repeating: 0, count: missing) + digest.prefix(curve.numberBytes)
    }
  }

  static let files = [
    File(curve: .p256, hash: "sha256", count: 484), File(curve: .p384, hash: "sha256", count: 472),
    File(curve: .p384, hash: "sha384", count: 504), File(curve: .p384, hash: "sha512", count: 542),
  ]

  @Test(
    .enabled(if: Wycheproof.isPresent, "the vectors are not beside this package"), arguments: files)
  func `Wycheproof's verdicts are ours, by every method`(file: File) throws {
    let curve = file.curve == .p256 ? "secp256r1" : "secp384r1"
    var batch = TestBatch(file.curve)
    var refused = 0
    let size = file.curve.numberBytes
    for group in try Wycheproof.groups(curve, file.hash) {
      batch.add(key: Array(group.point.dropFirst()))
      for test in group.tests {
        let signature = test.signature
        var numbers = [UInt8](repeating: 0, count: 2 * size)
        let isStrict = unsafe numbers.withUnsafeMutableBytes {
          unsafe DERSignature.write(numbersOf: signature.span, size: size, to: $0)
        }
        guard isStrict else {
          #expect(!test.isValid)
          refused += 1
          continue
        }
        batch.add(
          r: Array(numbers[..<size]), s: Array(numbers[size...]), digest: file.digest(test.message))
        #expect(batch.expected.last == test.isValid)
      }
    }
    #expect(batch.expected.count + refused == file.count)
    for engine in TestEngine.supported where engine.curve == file.curve {
      var verifier = try engine.verifier()
      for method in engine.methods { batch.check(&verifier, method: method) }
      let most = engine.arithmetic == .emulated ? 10 : batch.counts.count
      batch.checkByTables(&verifier, try engine.tables(), width: 4, most: most)
    }
  }
}
