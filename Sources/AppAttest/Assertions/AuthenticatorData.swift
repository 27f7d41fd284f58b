/// Authenticator data (Web Authentication, 6.1), parsed by length, never by its flags: Apple's
/// announce parts that are absent, and not others that are present.
public struct AuthenticatorData: Sendable {
  /// The number of bytes before anything optional.
  static let fixedLength = 37

  /// SHA-256 of the App ID.
  public let rpIDHash: Digest256
  /// The flags, unchanged. Nothing is read by them.
  public let flags: UInt8
  /// The sign counter, unsigned.
  public let counter: UInt32
  /// The attested credential data, or nil in assertions.
  public let credential: AttestedCredential?
  /// The bytes after the fixed part or the COSE key.
  public let extensions: AuthenticatorExtensions

  /// Parses the authenticator data of an assertion: 37 bytes, then nothing or exactly one CBOR map.
  public static func parseAssertion(
    _ bytes: Span<UInt8>
  ) throws(MalformedToken) -> AuthenticatorData {
    try parseAssertion(bytes, nil)
  }

  static func parseAssertion(
    _ bytes: Span<UInt8>, _ known: KnownExtensions?
  ) throws(MalformedToken) -> AuthenticatorData {
    try AuthenticatorData(bytes, credential: nil, end: fixedLength, known)
  }

  /// Parses the authenticator data of an attestation: 37 bytes, attested credential data with a
  /// COSE key map, then nothing or exactly one CBOR map.
  public static func parseAttestation(
    _ bytes: Span<UInt8>
  ) throws(MalformedToken) -> AuthenticatorData {
    guard bytes.count >= fixedLength else { throw MalformedToken(tooShort) }
    let (credential, end) = try AttestedCredential.parse(bytes, at: fixedLength)
    return try AuthenticatorData(bytes, credential: credential, end: end)
  }

  private static let tooShort = "The authenticator data is shorter than 37 bytes."

  private init(
    _ bytes: Span<UInt8>, credential: AttestedCredential?, end: Int,
    _ known: KnownExtensions? = nil
  ) throws(MalformedToken) {
    guard bytes.count >= Self.fixedLength, let hash = Digest256(bytes.extracting(0..<32)) else {
      throw MalformedToken(Self.tooShort)
    }
    rpIDHash = hash
    flags = bytes[32]
    var counter: UInt32 = 0
    for index in 33..<37 { counter = counter << 8 | UInt32(bytes[index]) }
    self.counter = counter
    self.credential = credential
    do throws(CBORError) {
      let rest = bytes.extracting(end..<bytes.count)
      extensions = if let known { try known.read(rest) } else { try AuthenticatorExtensions(rest) }
    } catch {
      throw MalformedToken("What follows the authenticator data", error)
    }
  }
}
