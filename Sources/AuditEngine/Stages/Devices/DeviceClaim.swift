/// The claim of an attestation that names a device: whose key it is.
enum DeviceClaim: UInt8, CaseIterable {
  /// An attestation that failed: nothing but a claim.
  case failed
  /// A valid attestation that the server did not reject: the key was stored for the device.
  case stored
  /// A valid attestation that the server rejected: the key was hardly stored, and anybody may have
  /// sent it.
  case rejected

  init(isValid: Bool, isRejected: Bool) {
    self = isValid ? (isRejected ? .rejected : .stored) : .failed
  }
}
