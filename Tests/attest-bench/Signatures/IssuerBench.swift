import AuditEngine
import Basics
import Foundation
import Minting
import SignatureBatch

/// P-384 signatures of one issuer with tables, as in leaf certificates, beside OpenSSL with a
/// cached key, on one core.
enum IssuerBench {
  private static let counts = [10, 100, 1_000]
  private static let rounds = 8
  private static let verifications = 100

  /// Returns a line for each number of signatures.
  static func text() throws -> String {
    let signer = try MintingSigner(.p384)
    let secret = [UInt8](repeating: 0x5A, count: 48)
    let point = try signer.publicPoint(of: secret)
    var signatures: [UInt8] = []
    for index in 0..<(counts.max() ?? 0) {
      let digest =
        [UInt8](repeating: 0, count: 16)
        + MintingDigest.sha256([UInt8(index & 255), UInt8(index >> 8)])
      let signature = try signer.sign(digest, secret: secret)
      signatures += signature.r + signature.s + digest
    }
    var lines: [String] = []
    for count in counts {
      let part = Array(signatures.prefix(count * SignatureCurve.p384.signatureBytes))
      var line = "  " + "\(count) signatures".padded(to: 22, least: 1)
      let openSSL = try openSSLTime(part, point)
      for (name, arithmetic) in KernelBench.kernels {
        let time = try time(part, point, arithmetic)
        let figure = String(format: "%@ %.1f µs each", name, time * 1e6)
        line +=
          figure.padded(to: 24, least: 1) + String(format: "%5.0f × OpenSSL   ", openSSL / time)
      }
      lines.append(line.replacing(#/\s+$/#, with: ""))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the seconds for each signature, the best of some rounds. Tables are made beforehand.
  private static func time(
    _ signatures: [UInt8], _ point: [UInt8], _ arithmetic: BatchArithmetic
  ) throws -> Double {
    let key = Array(point.dropFirst())
    guard let base = BaseTables(curve: .p384, arithmetic: arithmetic, width: KeyTables.usualWidth),
      let tables = KeyTables(of: key.span, for: base),
      var verifier = BatchVerifier(tables: base)
    else { throw BenchError(context: "no memory for the batch verifier") }
    let count = signatures.count / SignatureCurve.p384.signatureBytes
    var best = Double.infinity
    for _ in 0..<rounds {
      var verdicts = [UInt8](repeating: 0, count: count)
      var output = verdicts.mutableSpan
      let start = StageClock.now
      verifier.verify(by: tables, signatures: signatures.span, verdicts: &output)
      best = min(best, Double(StageClock.now - start) / 1e9 / Double(count))
      guard verdicts.allSatisfy({ $0 == BatchVerdict.valid.rawValue }) else {
        throw BenchError(context: "the batch verifier refuses a signature of the bench")
      }
    }
    return best
  }

  private static func openSSLTime(_ signatures: [UInt8], _ point: [UInt8]) throws -> Double {
    let oracle = ECDSAOracle(.p384)
    guard let key = oracle.key(point: point) else {
      throw BenchError(context: "the bench's own key is no point of P-384")
    }
    let length = SignatureCurve.p384.signatureBytes
    let total = min(verifications, signatures.count / length)
    var best = Double.infinity
    for index in 0..<total {
      let bytes = Array(signatures[index * length..<(index + 1) * length])
      let signature = MintedSignature(r: Array(bytes[..<48]), s: Array(bytes[48..<96]))
      let start = StageClock.now
      guard oracle.holds(signature, digest: Array(bytes[96...]), key: key) else {
        throw BenchError(context: "OpenSSL refuses a signature of the bench")
      }
      best = min(best, Double(StageClock.now - start) / 1e9)
    }
    return best
  }
}
