/// Attested credential data (Web Authentication, 6.5.1).
public struct AttestedCredential: Sendable {
  /// The identifier of the environment, 16 bytes.
  public let aaguid: [UInt8]
  /// The key identifier, in genuine attestations.
  public let credentialID: [UInt8]
  /// The COSE key as an X9.62 uncompressed point, 65 bytes, perhaps not on P-256, or nil.
  public let publicKey: [UInt8]?

  /// The environment that all 16 bytes of the aaguid name, or nil if they name none.
  public var environment: AttestEnvironment? {
    if aaguid.span.equals(Self.production.span) { return .production }
    return aaguid.span.equals(Self.development.span) ? .development : nil
  }

  private static let production = Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
  private static let development = Array("appattestdevelop".utf8)

  /// Parses aaguid, credential identifier and COSE key. Returns the offset after them, too.
  static func parse(
    _ bytes: Span<UInt8>, at start: Int
  ) throws(MalformedToken) -> (credential: AttestedCredential, end: Int) {
    let lengthEnd = start + 18
    guard bytes.count >= lengthEnd else {
      throw MalformedToken("The authenticator data contain no attested credential data.")
    }
    let length = Int(bytes[start + 16]) << 8 | Int(bytes[start + 17])
    guard length <= bytes.count - lengthEnd else {
      throw MalformedToken("The credential identifier is longer than the authenticator data.")
    }
    var reader = CBORReader(at: lengthEnd + length)
    let key: [UInt8]?
    do throws(CBORError) {
      key = try COSEKey.read(&reader, bytes)
    } catch {
      throw MalformedToken("The COSE key", error)
    }
    let credential = AttestedCredential(
      aaguid: bytes.extracting(start..<(start + 16)).copied(),
      credentialID: bytes.extracting(lengthEnd..<(lengthEnd + length)).copied(), publicKey: key)
    return (credential, reader.offset)
  }
}
