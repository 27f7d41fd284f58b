/// The claim of an attestation that names a device: whose key it is.
enum DeviceClaim: UInt8, CaseIterable {
  /// It failed: nothing but a claim.
  case failed
  /// It is valid, and the server did not reject it: the key was stored for the device.
  case stored
  /// It is valid, but the server rejected it: the key was hardly stored, and anybody may have sent it.
  case rejected

  init(isValid: Bool, isRejected: Bool) {
    self = isValid ? (isRejected ? .rejected : .stored) : .failed
  }
}
