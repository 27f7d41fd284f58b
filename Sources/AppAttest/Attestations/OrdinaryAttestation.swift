internal import OpenSSL

/// What a record says beside its attestation.
package struct AttestationRecord: Sendable {
  package var keyIdentifier: Digest256
  /// What the app passed to App Attest: opaque bytes.
  package var clientDataHash: [UInt8]
  /// The app that the record names; nil where it names none.
  package var appID: String?
  /// Milliseconds since 1970.
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

/// An attestation that was read without OpenSSL, and is judged but for its signatures.
package struct OrdinaryAttestation: Sendable {
  /// What it comes to where every signature holds. Where one does not, it says nothing.
  package let judgement: JudgedAttestation
  /// The leaf's, and that of the receipt where it is verified.
  package let signatures: [PendingSignature]
}

extension PendingSignature {
  /// Makes a signature in DER over what has one of these digests; nil where it is not strict DER.
  init?(_ signature: Span<UInt8>, over digests: [Digest256], by key: SigningKey) {
    let size = key.curve.numberBytes
    guard let pair = DERSignature.numbers(of: signature, size: size) else { return nil }
    self.key = key
    let padding = [UInt8](repeating: 0, count: size - Digest256.byteCount)
    numbers = digests.flatMap { pair + padding + $0.bytes }
  }
}
