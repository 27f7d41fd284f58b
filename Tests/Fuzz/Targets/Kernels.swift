import Minting
import OpenSSL
import SignatureBatch

extension FuzzTarget {
  /// Returns the target of a curve's kernel, by every arithmetic and method, against OpenSSL.
  static func kernel(_ curve: SignatureCurve) -> FuzzTarget {
    FuzzTarget(
      "kernel-\(curve == .p256 ? "p256" : "p384")", limit: 1024, mutations: 30,
      seeds: {
        // Bytes that make several keys and signatures each.
        (0..<6).map { seed in (0..<400).map { UInt8(truncatingIfNeeded: $0 &* (31 + seed) &+ seed) }
        }
      },
      prepare: { try FuzzedKernel(curve).run })
  }
}

/// Signatures from bytes, judged by a curve's kernel as OpenSSL judges them.
private final class FuzzedKernel {
  private let curve: SignatureCurve
  private let oracle: ECDSAOracle
  private let signer: MintingSigner
  private let tables: [BaseTables]

  init(_ curve: SignatureCurve) throws {
    self.curve = curve
    oracle = ECDSAOracle(curve == .p256 ? .p256 : .p384)
    signer = try MintingSigner(curve == .p256 ? .p256 : .p384)
    tables = BatchArithmetic.allCases.filter(\.isSupported).compactMap {
      BaseTables(curve: curve, arithmetic: $0, width: 5)
    }
  }

  /// A key by its secret, and signatures under it: made by it, or numbers as they come.
  func run(_ bytes: [UInt8]) throws {
    var input = FuzzBytes(bytes)
    let method = [KeyMethod.automatic, .buckets, .doublings] + (3...7).map { .table(width: $0) }
    let chosen = method[input.below(method.count)]
    var keys: [UInt8] = []
    var counts: [UInt32] = []
    var signatures: [UInt8] = []
    var expected: [Bool?] = []
    while !input.isAtEnd, counts.count < 6 {
      let secret = number(&input)
      guard var point = try? signer.publicPoint(of: secret) else { continue }
      if input.once(in: 16) { point[1 + input.below(point.count - 1)] ^= input.byte() }
      let key = oracle.key(point: point)
      let count = 1 + input.below(6)
      keys += point.dropFirst()
      counts.append(UInt32(count))
      for _ in 0..<count {
        let digest = number(&input)
        var made = MintedSignature(r: number(&input), s: number(&input))
        if input.once(in: 2), let signed = try? signer.sign(digest, secret: secret) {
          made = signed
        }
        if input.once(in: 4) { made.s[input.below(made.s.count)] ^= input.byte() }
        signatures += made.r + made.s + digest
        expected.append(key.map { oracle.holds(made, digest: digest, key: $0) })
      }
    }
    for table in tables {
      guard
        var verifier = BatchVerifier(tables: table, arenaBytes: table.leastArenaBytesForKeys)
      else { fail("out of memory") }
      var raw = [UInt8](repeating: 0xEE, count: expected.count)
      var span = raw.mutableSpan
      verifier.verify(
        keys: keys.span, counts: counts.span, signatures: signatures.span, verdicts: &span,
        method: chosen)
      for (index, value) in raw.enumerated() {
        switch BatchVerdict(rawValue: value) {
        case .valid: require(expected[index] == true, "\(table.arithmetic): OpenSSL rejects it")
        case .invalid: require(expected[index] == false, "\(table.arithmetic): OpenSSL takes it")
        case .undecided: break
        case nil: fail("no verdict")
        }
      }
    }
  }

  /// Any number of the curve's length, small ones and those beside the order among them.
  private func number(_ input: inout FuzzBytes) -> [UInt8] {
    let size = curve.numberBytes
    switch input.below(8) {
    case 0: return [UInt8](repeating: 0, count: size - 1) + [input.byte()]
    case 1: return [UInt8](repeating: 0xFF, count: size - 1) + [input.byte()]
    case 2:
      var number = [UInt8](repeating: 0, count: size)
      number[input.below(size)] = input.byte()
      return number
    case 3:
      // The order's first bytes, and some of its own behind.
      let order = curve == .p256 ? P256Scalar.order.bytes : [UInt8](repeating: 0xFF, count: 24)
      let end = input.bytes(2)
      return Array((order + [UInt8](repeating: 0, count: size)).prefix(size - 2)) + end
    default: return input.bytes(size)
    }
  }
}
