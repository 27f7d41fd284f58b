internal import OpenSSL

/// The facts that a record has beside its attestation.
package struct AttestationRecord: Sendable {
  package var keyIdentifier: Digest256
  /// The bytes that the app passed to App Attest. They are opaque.
  package var clientDataHash: [UInt8]
  /// The app that the record names, or nil if it names none.
  package var appID: String?
  /// The time of the record, in milliseconds since 1970.
  package var time: Int64

  package init(
    keyIdentifier: Digest256, clientDataHash: [UInt8], appID: String?, time: Int64
  ) {
    self.keyIdentifier = keyIdentifier
    self.clientDataHash = clientDataHash
    self.appID = appID
    self.time = time
  }
}

/// An attestation that was read without OpenSSL, and is judged but for its signatures and its point.
package struct OrdinaryAttestation: Sendable {
  /// The judgement that applies if every signature holds and ``coordinates`` are a point. Otherwise
  /// it has no meaning.
  package let judgement: JudgedAttestation
  /// The leaf's public key, x ‖ y, which still has to be checked to be a point of P-256.
  package let coordinates: [UInt8]
  /// The signature of the leaf, and that of the receipt if the receipt is verified.
  package let signatures: [PendingSignature]
}

extension PendingSignature {
  /// Makes a pending signature from DER over data with one of these digests, or returns nil if it
  /// is not strict DER.
  init?(_ signature: Span<UInt8>, over digests: [Digest256], by key: SigningKey) {
    let size = key.curve.numberBytes
    guard let pair = DERSignature.numbers(of: signature, size: size) else { return nil }
    self.key = key
    var numbers: [UInt8] = []
    numbers.reserveCapacity(digests.count * 3 * size)
    for digest in digests {
      numbers += pair
      numbers.append(contentsOf: repeatElement(0, count: size - Digest256.byteCount))
      digest.withSpan { for index in $0.indices { numbers.append($0[index]) } }
    }
    self.numbers = numbers
  }
}
