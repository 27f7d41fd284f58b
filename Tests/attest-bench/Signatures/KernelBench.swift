import AuditEngine
import Basics
import Foundation
import Minting
import OpenSSL
import SignatureBatch

/// The batch verifier beside OpenSSL with a cached key, on one core, by the number of signatures of
/// each key.
struct KernelBench {
  /// The numbers of signatures of a key that are measured.
  static let groupSizes = [1, 2, 5, 10, 20, 50, 100, 1000]
  /// The number of signatures that are judged at once.
  private static let batch = 8192
  /// The number of rounds in which OpenSSL and the kernels are measured in turn. The best of each
  /// counts.
  private static let rounds = 4
  private static let verifications = 500

  /// The measurements for one group size.
  struct Row {
    var signaturesPerKey: Int
    /// The number of signatures that OpenSSL verifies in a second.
    var openSSL: Double
    /// The same numbers by kernel, in the order of ``kernels``.
    var batch: [Double]
  }

  /// The kernels of this processor, without the one that exists for tests only.
  static let kernels: [(name: String, kernel: BatchArithmetic)] =
    [("portable", .portable)] + (BatchArithmetic.ifma.isSupported ? [("IFMA", .ifma)] : [])

  /// Measures all group sizes.
  static func measure() throws -> [Row] {
    let signer = MintingSigner(.p256)
    var verifiers: [BenchVerifier] = []
    for (_, kernel) in kernels { verifiers.append(try BenchVerifier(kernel)) }
    return try groupSizes.map { size in
      let work = try Work(signer, keys: max(batch / size, 1), signaturesPerKey: size)
      var row = Row(
        signaturesPerKey: size, openSSL: 0, batch: Array(repeating: 0, count: kernels.count))
      for _ in 0..<rounds {
        row.openSSL = max(row.openSSL, try work.openSSLRate(verifications))
        for (index, verifier) in verifiers.enumerated() {
          row.batch[index] = max(row.batch[index], try verifier.rate(work))
        }
      }
      return row
    }
  }

  /// Returns the table, a line for each group size.
  static func text(_ rows: [Row]) -> String {
    var lines: [String] = []
    for row in rows {
      let name = "\(row.signaturesPerKey) signature\(row.signaturesPerKey == 1 ? "" : "s") a key"
      var line = "  " + name.padded(to: 22, least: 1)
      for (index, rate) in row.batch.enumerated() {
        let figure = "\(kernels[index].name) \(AttestBench.number(rate))/s"
        line +=
          figure.padded(to: 22, least: 1) + String(format: "%5.1f × OpenSSL, ", rate / row.openSSL)
          + method(kernels[index].kernel, row.signaturesPerKey).padded(to: 12, least: 1)
      }
      lines.append(line.trimmingCharacters(in: .whitespaces).isEmpty ? name : line)
    }
    return lines.map { $0.replacing(#/\s+$/#, with: "") }.joined(separator: "\n") + "\n"
  }

  /// Returns the name of the method that makes the multiples of such a key.
  private static func method(_ arithmetic: BatchArithmetic, _ signatures: Int) -> String {
    switch KeyMethod.automatic(.p256, arithmetic, signatures: signatures) {
    case .automatic, .buckets: "buckets"
    case .doublings: "doublings"
    case .table(let width): "window \(width)"
    }
  }

  /// Signatures of some keys, all of which hold.
  fileprivate struct Work {
    var points: [[UInt8]] = []
    var keys: [UInt8] = []
    var counts: [UInt32] = []
    var signatures: [UInt8] = []

    init(_ signer: borrowing MintingSigner, keys count: Int, signaturesPerKey: Int) throws {
      var generator = SystemRandomNumberGenerator()
      func random() -> [UInt8] {
        (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
      }
      for _ in 0..<count {
        let secret = random()
        let point = signer.publicPoint(of: secret)
        points.append(point)
        keys += point.dropFirst()
        counts.append(UInt32(signaturesPerKey))
        for _ in 0..<signaturesPerKey {
          let digest = random()
          let signature = signer.sign(digest, secret: secret)
          signatures += signature.r + signature.s + digest
        }
      }
    }

    var count: Int { signatures.count / SignatureCurve.p256.signatureBytes }

    /// Returns the number of signatures that OpenSSL verifies in a second. Each key is parsed
    /// beforehand.
    func openSSLRate(_ limit: Int) throws -> Double {
      let verifier = P256Verifier()
      let parsed = points.prefix(limit).compactMap { P256PublicKey(point: $0) }
      let perKey = Int(counts[0])
      let total = min(limit, count)
      let length = SignatureCurve.p256.signatureBytes
      let start = StageClock.now
      for index in 0..<total {
        let holds = unsafe signatures.withUnsafeBytes {
          unsafe verifier.verify(
            signed: UnsafeRawBufferPointer(
              rebasing: $0[(index * length)..<((index + 1) * length)]),
            key: parsed[index / perKey])
        }
        guard holds else { throw BenchError(context: "OpenSSL refuses a signature of the bench") }
      }
      return Double(total) / (Double(StageClock.now - start) / 1e9)
    }
  }
}

/// A verifier of one kernel.
private final class BenchVerifier {
  private var verifier: BatchVerifier

  init(_ kernel: BatchArithmetic) throws {
    guard let tables = BaseTables(curve: .p256, arithmetic: kernel),
      let verifier = BatchVerifier(tables: tables)
    else { throw BenchError(context: "no memory for the batch verifier") }
    self.verifier = verifier
  }

  /// Returns the number of signatures that are verified in a second.
  func rate(_ work: KernelBench.Work) throws -> Double {
    var verdicts = [UInt8](repeating: 0, count: work.count)
    let start = StageClock.now
    var output = verdicts.mutableSpan
    verifier.verify(
      keys: work.keys.span, counts: work.counts.span, signatures: work.signatures.span,
      verdicts: &output)
    let time = StageClock.now - start
    guard verdicts.allSatisfy({ $0 == BatchVerdict.valid.rawValue }) else {
      throw BenchError(context: "the batch verifier refuses a signature of the bench")
    }
    return Double(work.count) / (Double(time) / 1e9)
  }
}
