/// The positions of the parts of an assertion as devices send it: a map of `signature` and
/// `authenticatorData`, all of definite length. It is valid CBOR by its form alone, and the strict
/// reader, which reads all others, would find the same.
struct OrdinaryAssertion {
  let signature: Range<Int>
  let authenticatorData: Range<Int>

  /// Finds the parts of a token, or returns nil if it has another form, valid or not.
  init?(_ token: Span<UInt8>) {
    let parts = unsafe token.withUnsafeBytes { bytes -> OrdinaryAssertion? in
      unsafe Self.parts(of: OrdinaryCBOR(bytes))
    }
    guard let parts else { return nil }
    self = parts
  }

  private init(signature: Range<Int>, authenticatorData: Range<Int>) {
    self.signature = signature
    self.authenticatorData = authenticatorData
  }

  @inline(__always)
  private static func parts(of token: OrdinaryCBOR) -> OrdinaryAssertion? {
    // The keys with their heads: texts of 9 and of 17 bytes.
    let signatureKey: StaticString = "isignature"
    let dataKey: StaticString = "qauthenticatorData"
    var token = token
    guard token.mapCount() == 2 else { return nil }
    if token.pass(signatureKey) {
      guard let signature = token.byteString(), token.pass(dataKey), let data = token.byteString(),
        token.isDone
      else { return nil }
      return OrdinaryAssertion(signature: signature, authenticatorData: data)
    }
    guard token.pass(dataKey), let data = token.byteString(), token.pass(signatureKey),
      let signature = token.byteString(), token.isDone
    else { return nil }
    return OrdinaryAssertion(signature: signature, authenticatorData: data)
  }
}
