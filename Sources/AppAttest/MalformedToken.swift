/// The reason why bytes are not attestation object, assertion or receipt.
public struct MalformedToken: Error, Sendable, Equatable {
  /// One English sentence.
  public var reason: String

  init(_ reason: String) {
    self.reason = reason
  }

  init(_ name: String, _ error: CBORError) {
    reason = "\(name) is malformed: \(error.reason)."
  }
}
