/// An assertion as a device sends it, as the positions of its parts in the token.
public struct Assertion: Sendable {
  /// The length of the longest token that is accepted, in bytes.
  public static let byteLimit = 4096

  private let signature: CBORString
  private let authenticatorData: CBORString
  /// SHA-256 of the App ID.
  public let rpIDHash: Digest256
  /// The sign counter, unsigned.
  public let counter: UInt32
  /// The extensions that iOS 27 and later append.
  public let extensions: AuthenticatorExtensions

  /// Parses one CBOR map with `signature` and `authenticatorData`, and nothing left over.
  public static func parse(_ token: Span<UInt8>) throws(MalformedToken) -> Assertion {
    try parse(token, nil)
  }

  package static func parse(
    _ token: Span<UInt8>, _ known: KnownExtensions?
  ) throws(MalformedToken) -> Assertion {
    guard token.count <= byteLimit else {
      throw MalformedToken("The assertion is longer than \(byteLimit) bytes.")
    }
    var end = 0
    if let signature = string(token, after: signatureHead, &end),
      let data = string(token, after: dataHead, &end), end == token.count
    {
      return Assertion(
        signature, data, try AuthenticatorData.parseAssertion(token.extracting(data.range), known))
    }
    return try parse(any: token)
  }

  /// The bytes before the lengths of the two strings, each below 256 bytes, as devices send them.
  private static let signatureHead = [0xA2, 0x69] + Array("signature".utf8) + [0x58]
  private static let dataHead = [0x71] + Array("authenticatorData".utf8) + [0x58]

  /// Returns the string that follows `head` and a byte of length at `end`, or nil for other bytes.
  private static func string(
    _ token: Span<UInt8>, after head: [UInt8], _ end: inout Int
  ) -> CBORString? {
    let start = end + head.count + 1
    guard start <= token.count, token.extracting(end..<(start - 1)).equals(head.span),
      Int(token[start - 1]) <= token.count - start
    else { return nil }
    end = start + Int(token[start - 1])
    return CBORString(range: start..<end, isChunked: false)
  }

  /// Parses a token of any form, by the strict reader.
  static func parse(any token: Span<UInt8>) throws(MalformedToken) -> Assertion {
    var signature: CBORString?
    var authenticatorData: CBORString?
    do throws(CBORError) {
      try CBORReader.checkOneItem(token)
      (signature, authenticatorData) = try find(token)
    } catch {
      throw MalformedToken("The assertion", error)
    }
    guard let signature else {
      throw MalformedToken("The assertion has no byte string signature.")
    }
    guard let authenticatorData else {
      throw MalformedToken("The assertion has no byte string authenticatorData.")
    }
    guard authenticatorData.isChunked else {
      let data = try AuthenticatorData.parseAssertion(token.extracting(authenticatorData.range))
      return Assertion(signature, authenticatorData, data)
    }
    let data = try AuthenticatorData.parseAssertion(authenticatorData.copy(from: token).span)
    return Assertion(signature, authenticatorData, data)
  }

  private init(
    _ signature: CBORString, _ authenticatorData: CBORString, _ data: AuthenticatorData
  ) {
    self.signature = signature
    self.authenticatorData = authenticatorData
    rpIDHash = data.rpIDHash
    counter = data.counter
    extensions = data.extensions
  }

  private static func find(
    _ token: Span<UInt8>
  ) throws(CBORError) -> (signature: CBORString?, authenticatorData: CBORString?) {
    var signature: CBORString?
    var authenticatorData: CBORString?
    var reader = CBORReader()
    try reader.skipTags(token)
    var entries = try reader.enterMap(token)
    while try reader.next(&entries, token) {
      let key = try reader.readKey(token)
      switch reader.peekMajor(token) {
      case 2 where key?.equals("signature", in: token) == true:
        signature = try reader.readString(major: 2, token)
      case 2 where key?.equals("authenticatorData", in: token) == true:
        authenticatorData = try reader.readString(major: 2, token)
      default: try reader.skip(token, checked: false)
      }
    }
    return (signature, authenticatorData)
  }

  /// Calls `body` with the signature's bytes in the token that this was parsed from.
  public func withSignature<Result>(
    in token: Span<UInt8>, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    signature.withSpan(in: token, body)
  }

  /// Calls `body` with the authenticator data's bytes in the token that this was parsed from.
  public func withAuthenticatorData<Result>(
    in token: Span<UInt8>, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    authenticatorData.withSpan(in: token, body)
  }

  /// Returns SHA-256(authenticatorData ‖ clientDataHash): the message that the device signs.
  public static func nonce(
    authenticatorData: Span<UInt8>, clientDataHash: Span<UInt8>
  ) -> Digest256 {
    .sha256(authenticatorData, clientDataHash)
  }

  /// Returns SHA-256(nonce), the digest of ECDSA: the nonce is the message and not its digest.
  public static func digest(nonce: Digest256) -> Digest256 {
    nonce.withSpan { .sha256($0) }
  }

  /// Returns the digest that ECDSA is computed over, from the token and the clientDataHash.
  public func digest(in token: Span<UInt8>, clientDataHash: Span<UInt8>) -> Digest256 {
    withAuthenticatorData(in: token) {
      Self.digest(nonce: Self.nonce(authenticatorData: $0, clientDataHash: clientDataHash))
    }
  }
}
