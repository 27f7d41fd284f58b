internal import OpenSSL
internal import Synchronization

/// An issuer of leaf certificates or a signer of receipts whose chain OpenSSL verified.
struct KnownAuthority: Sendable {
  let key: SigningKey
  /// The Name of an issuer's subject, in DER.
  var name: [UInt8] = []
  /// The time in which its whole chain is valid, in seconds since 1970, bounds included.
  let validity: ClosedRange<Int64>
}

/// The recent issuers and signers that verified, by the bytes of their certificates.
final class KnownAuthorities: Sendable {
  private let issuers = Mutex(RecentValues<KnownAuthority>())
  private let signers = Mutex(RecentValues<KnownAuthority>())

  func issuer(_ certificate: Span<UInt8>) -> KnownAuthority? {
    issuers.withLock { $0.value(at: certificate) }
  }

  /// Returns the signer with these certificates and, after them, this issuer and serial number.
  func signer(_ certificates: Span<UInt8>, _ name: Span<UInt8>) -> KnownAuthority? {
    signers.withLock { $0.value(at: certificates, name) }
  }

  /// Keeps the issuer of a trusted leaf if it is the only other certificate.
  func remember(_ chain: KnownChain, among others: [Certificate]) {
    guard others.count == 1, chain.issuer == others[0], !chain.namesConstrained,
      let point = chain.issuer.p384Point, let key = SigningKey(.p384, point: point),
      let name = chain.issuer.subject
    else { return }
    let issuer = KnownAuthority(key: key, name: name, validity: chain.validity)
    issuers.withLock { $0.insert(issuer, at: chain.issuer.der) }
  }

  /// Keeps the signer of a receipt that verified and has the ordinary form.
  func remember(_ signer: VerifiedSigner, of receipt: [UInt8]) {
    guard let ordinary = OrdinaryReceipt(receipt.span),
      let key = SigningKey(.p256, point: signer.point)
    else { return }
    let known = KnownAuthority(key: key, validity: signer.validity)
    let certificates = Array(receipt[ordinary.certificates])
    signers.withLock { $0.insert(known, at: certificates + receipt[ordinary.signerName]) }
  }
}

/// A few values with long keys, compared byte by byte. Beyond `limit`, all are removed.
struct RecentValues<Value: Sendable>: Sendable {
  static var limit: Int { 64 }

  private var entries: [(key: [UInt8], value: Value)] = []

  /// Returns the value whose key is `front`, followed by `back`.
  func value(at front: Span<UInt8>, _ back: Span<UInt8> = Span()) -> Value? {
    for (stored, value) in entries where stored.count == front.count + back.count {
      let bytes = stored.span
      if bytes.extracting(first: front.count).equals(front),
        bytes.extracting(last: back.count).equals(back)
      {
        return value
      }
    }
    return nil
  }

  mutating func insert(_ value: Value, at key: [UInt8]) {
    if let index = entries.firstIndex(where: { $0.key == key }) {
      entries[index].value = value
      return
    }
    if entries.count >= Self.limit { entries.removeAll(keepingCapacity: true) }
    entries.append((key, value))
  }
}
