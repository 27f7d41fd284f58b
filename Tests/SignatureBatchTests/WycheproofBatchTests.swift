import Foundation
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

    var url: URL {
      let name = curve == .p256 ? "secp256r1" : "secp384r1"
      return WycheproofBatchTests.folder.appending(path: "ecdsa_\(name)_\(hash)_test.json")
    }

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

  static let folder = Repository.vectors.appending(path: "wycheproof")

  private struct Cases: Decodable {
    struct Key: Decodable { var uncompressed: String }
    struct Test: Decodable { var msg, sig, result: String }
    struct Group: Decodable {
      var publicKey: Key
      var tests: [Test]
    }
    var testGroups: [Group]
  }

  @Test(
    .enabled(
      if: files.allSatisfy { FileManager.default.fileExists(atPath: $0.url.path) },
      "the vectors are not beside this package"), arguments: files)
  func `Wycheproof's verdicts are ours, by every method`(file: File) throws {
    let cases = try JSONDecoder().decode(Cases.self, from: Data(contentsOf: file.url))
    var batch = TestBatch(file.curve)
    var refused = 0
    let size = file.curve.numberBytes
    for group in cases.testGroups {
      batch.add(key: Array(bytes(hex: group.publicKey.uncompressed).dropFirst()))
      for test in group.tests {
        let signature = bytes(hex: test.sig)
        var numbers = [UInt8](repeating: 0, count: 2 * size)
        let isStrict = unsafe numbers.withUnsafeMutableBytes {
          unsafe DERSignature.write(numbersOf: signature.span, size: size, to: $0)
        }
        guard isStrict else {
          #expect(test.result == "invalid")
          refused += 1
          continue
        }
        batch.add(
          r: Array(numbers[..<size]), s: Array(numbers[size...]),
          digest: file.digest(bytes(hex: test.msg)))
        #expect(batch.expected.last == (test.result == "valid"))
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

  private func bytes(hex: String) -> [UInt8] {
    let digits = Array(hex.utf8)
    func value(_ digit: UInt8) -> UInt8 { digit < 58 ? digit - 48 : digit - 87 }
    return stride(from: 0, to: digits.count, by: 2).map {
      value(digits[$0]) << 4 | value(digits[$0 + 1])
    }
  }
}
