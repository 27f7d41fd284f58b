internal import Synchronization

/// The chain above a leaf: its issuer, and when all certificates from there up are valid.
package struct KnownChain: Sendable {
  package var issuer: Certificate
  /// Seconds since 1970, bounds included.
  package var validity: ClosedRange<Int64>
  /// Whether a certificate of it constrains the names of the leaf, so that it says nothing about
  /// another one.
  package var namesConstrained: Bool
}

/// The chains that verified lately, by the certificates they were found among: nearly all leaves
/// come with the same intermediate, and its own chain costs as much as the leaf does.
final class ChainCache: Sendable {
  /// The number of chains that are kept. When there are more, all are forgotten.
  private static let limit = 64

  private let chains = Mutex<[[UInt8]: KnownChain]>([:])

  /// Returns the chain found among exactly these certificates in this order.
  func chain(through others: [Certificate]) -> KnownChain? {
    guard let name = Self.name(of: others) else { return nil }
    return chains.withLock { $0[name] }
  }

  /// Keeps a chain that verified; only of the last found among these certificates.
  func remember(_ chain: KnownChain, through others: [Certificate]) {
    guard let name = Self.name(of: others) else { return }
    chains.withLock { chains in
      if chains.count >= Self.limit { chains.removeAll(keepingCapacity: true) }
      chains[name] = chain
    }
  }

  /// Returns the SHA-256 over the DER of all, each of which tells its own length.
  private static func name(of certificates: [Certificate]) -> [UInt8]? {
    guard let first = certificates.first else { return nil }
    guard certificates.count > 1 else { return SHA256.digest(first.der) }
    var all: [UInt8] = []
    for certificate in certificates { all += certificate.der }
    return SHA256.digest(all)
  }
}

extension SHA256 {
  /// Returns the 32 bytes of SHA-256(`bytes`).
  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      if let start = buffer.baseAddress {
        unsafe hash(bytes.span, into: start)
        count = 32
      }
    }
  }
}
