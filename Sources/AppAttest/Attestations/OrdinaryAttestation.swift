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
  /// Whether the recorded client data contains U+FFFD, where the device signed other bytes.
  package var isLossy: Bool

  package init(
    keyIdentifier: Digest256, clientDataHash: [UInt8], appID: String?, time: Int64,
    isLossy: Bool = false
  ) {
    self.isLossy = isLossy
    self.keyIdentifier = keyIdentifier
    self.clientDataHash = clientDataHash
    self.appID = appID
    self.time = time
  }
}

/// An attestation that was read without OpenSSL, judged but for its signatures and its point.
package struct OrdinaryAttestation: Sendable {
  /// The judgement that applies if every signature is valid and the public key a point of P-256.
  package let judgement: JudgedAttestation
  /// The signature of the leaf, and that of the receipt if the receipt is verified.
  package let signatures: [PendingSignature]
}

extension PendingSignature {
  /// Makes a pending signature from strict DER over data with one of these digests, or nil.
  init?(_ signature: Span<UInt8>, over digests: [Digest256], by key: SigningKey) {
    let size = key.curve.numberBytes
    var numbers = [UInt8](repeating: 0, count: digests.count * 3 * size)
    let isStrict = unsafe numbers.withUnsafeMutableBytes { numbers in
      for (index, digest) in digests.enumerated() {
        let part = unsafe UnsafeMutableRawBufferPointer(
          rebasing: numbers[(index * 3 * size)..<((index + 1) * 3 * size)])
        guard unsafe DERSignature.write(numbersOf: signature, size: size, to: part) else {
          return false
        }
        unsafe digest.copy(
          to: part.baseAddress.unsafelyUnwrapped + part.count - Digest256.byteCount)
      }
      return true
    }
    guard isStrict else { return nil }
    self.key = key
    self.numbers = numbers
  }
}
