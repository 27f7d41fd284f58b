import Foundation
import OpenSSL
import P256Batch
import Testing

/// Project Wycheproof's cases, which lie outside the repository.
struct WycheproofBatchTests {
  static let file: URL = {
    let environment = ProcessInfo.processInfo.environment
    let package = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let shared =
      environment["ATTEST_AUDIT_SHARED"].map { URL(filePath: $0) }
      ?? package.deletingLastPathComponent().appending(path: "shared")
    return shared.appending(path: "vectors/wycheproof/ecdsa_secp256r1_sha256_test.json")
  }()

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
      if: FileManager.default.fileExists(atPath: file.path),
      "the vectors are not beside this package"), arguments: P256Kernel.supported)
  func `Wycheproof's verdicts are ours, by every method`(kernel: P256Kernel) throws {
    let cases = try JSONDecoder().decode(Cases.self, from: Data(contentsOf: Self.file))
    var batch = TestBatch()
    var refused = 0
    for group in cases.testGroups {
      batch.add(key: Array(bytes(hex: group.publicKey.uncompressed).dropFirst()))
      for test in group.tests {
        guard let (r, s) = DERSignature.parse(bytes(hex: test.sig).span) else {
          #expect(test.result == "invalid")
          refused += 1
          continue
        }
        batch.add(r: r.bytes, s: s.bytes, digest: digest(bytes(hex: test.msg)))
        #expect(batch.expected.last == (test.result == "valid"))
      }
    }
    #expect(batch.expected.count + refused == 484)
    var verifier = try kernel.verifier()
    for method in P256Method.tested(kernel) { batch.check(&verifier, method: method) }
  }

  private func digest(_ message: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    unsafe digest.withUnsafeMutableBufferPointer {
      unsafe SHA256.hash(message.span, into: $0.baseAddress!)
    }
    return digest
  }

  private func bytes(hex: String) -> [UInt8] {
    let digits = Array(hex.utf8)
    func value(_ digit: UInt8) -> UInt8 { digit < 58 ? digit - 48 : digit - 87 }
    return stride(from: 0, to: digits.count, by: 2).map {
      value(digits[$0]) << 4 | value(digits[$0 + 1])
    }
  }
}
