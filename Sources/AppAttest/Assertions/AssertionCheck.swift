/// The checks of an assertion that is well-formed, in the order in which they are run.
public enum AssertionCheck: UInt8, CaseIterable, Sendable {
  /// Category and bundle version are ones that the app accepts.
  case category
  /// The signed code hash is one that the app accepts.
  case code
  /// rpIdHash is the SHA-256 of the App ID (Apple's step 4).
  case appID
  /// The signature is valid under the key (Apple's steps 1 to 3).
  case signature
  /// The counter is above that of the key's last assertion (Apple's step 5).
  case counter
}
