internal import OpenSSL
internal import Synchronization

/// The issuer of leaf certificates whose own chain OpenSSL verified.
struct KnownIssuer: Sendable {
  let key: SigningKey
  /// Its subject's Name, DER.
  let name: [UInt8]
  /// When it and all above are valid, seconds since 1970, bounds included.
  let validity: ClosedRange<Int64>
}

/// The signer of receipts whose own chain OpenSSL verified.
struct KnownSigner: Sendable {
  let key: SigningKey
  /// When its certificate and all above are valid, seconds since 1970, bounds included.
  let validity: ClosedRange<Int64>
}

/// Who signed attestations and receipts lately, found by bytes: an issuer by those of its
/// certificate, a signer by those of all certificates of the receipt with the signer's name.
///
/// Only what verified is kept, and no more than `limit` of each: when there are more, all are
/// forgotten.
final class KnownAuthorities: Sendable {
  static let limit = 64

  private let issuers = Mutex<[[UInt8]: KnownIssuer]>([:])
  private let signers = Mutex<[[UInt8]: KnownSigner]>([:])

  func issuer(_ certificate: [UInt8]) -> KnownIssuer? {
    issuers.withLock { $0[certificate] }
  }

  func signer(_ bytes: [UInt8]) -> KnownSigner? {
    signers.withLock { $0[bytes] }
  }

  /// Keeps the issuer of a trusted leaf that has the ordinary form and came with it alone.
  func remember(_ chain: KnownChain, among others: [Certificate]) {
    guard others.count == 1, chain.issuer == others[0], !chain.namesConstrained,
      let point = chain.issuer.p384Point, let key = SigningKey(.p384, point: point),
      let name = chain.issuer.subject
    else { return }
    let issuer = KnownIssuer(key: key, name: name, validity: chain.validity)
    issuers.withLock { Self.insert(issuer, at: chain.issuer.der, in: &$0) }
  }

  /// Keeps the signer of a receipt that verified and has the ordinary form.
  func remember(_ signer: VerifiedSigner, of receipt: [UInt8]) {
    guard let ordinary = OrdinaryReceipt(receipt.span),
      let key = SigningKey(.p256, point: signer.point)
    else { return }
    let known = KnownSigner(key: key, validity: signer.validity)
    signers.withLock { Self.insert(known, at: ordinary.signer, in: &$0) }
  }

  private static func insert<Value>(
    _ value: Value, at key: [UInt8], in values: inout [[UInt8]: Value]
  ) {
    if values.count >= limit, values[key] == nil { values.removeAll(keepingCapacity: true) }
    values[key] = value
  }
}
