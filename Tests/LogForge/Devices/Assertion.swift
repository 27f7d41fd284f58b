internal import Minting

/// The parts of an assertion.
struct Assertion {
  var authenticatorData: [UInt8]
  var r: [UInt8]
  var s: [UInt8]
  /// The signature that replaces the DER of `r` and `s`, or nil for that DER.
  var rawSignature: [UInt8]?
  /// The code hash outside the signature, or nil if the token has none.
  var unsignedCode: [UInt8]?
  /// The bytes that replace the object.
  var rawToken: [UInt8]?

  /// The DER of the signature.
  var signature: [UInt8] { rawSignature ?? DERWriter.signature(r: r, s: s) }

  /// The object in the form of Apple's devices.
  var token: [UInt8] { token(with: CBORWriter.unsignedCode(unsignedCode)) }

  /// Returns the object with further members, which nobody signed.
  func token(with members: [(key: [UInt8], value: [UInt8])]) -> [UInt8] {
    rawToken
      ?? CBORWriter.map(
        members + [
          (Self.signatureKey, CBORWriter.bytes(signature)),
          (Self.authenticatorDataKey, CBORWriter.bytes(authenticatorData)),
        ])
  }

  /// Returns the same object in another spelling of CBOR.
  func respelledToken(_ random: inout ForgeRandom) -> [UInt8] {
    switch random.below(3) {
    case 0:
      CBORWriter.map([
        (Self.authenticatorDataKey, CBORWriter.bytes(authenticatorData)),
        (Self.signatureKey, CBORWriter.bytes(signature)),
      ])
    case 1:
      CBORWriter.map(
        [
          (CBORWriter.text("signature", .longest), CBORWriter.bytes(signature, .longest)),
          (Self.authenticatorDataKey, CBORWriter.bytes(authenticatorData, .longest)),
        ], .longest)
    default:
      CBORWriter.openMap([
        (Self.authenticatorDataKey, CBORWriter.chunkedBytes(authenticatorData, chunk: 10)),
        (Self.signatureKey, CBORWriter.chunkedBytes(signature, chunk: 33)),
      ])
    }
  }

  static let signatureKey = CBORWriter.text("signature")
  static let authenticatorDataKey = CBORWriter.text("authenticatorData")
}

extension Device {
  /// Returns the authenticator data of an assertion: rpIdHash, flags, counter, and on iOS 27 a map.
  func assertionData(counter: UInt32, rpIDHash: [UInt8]? = nil, map: [UInt8]?) -> [UInt8] {
    var data = rpIDHash ?? app.rpIDHash
    data.append((setsATFlag ? 0x40 : 0) | (map != nil && setsEDFlag ? 0x80 : 0))
    data += CBORWriter.bigEndian(UInt64(counter), 4)
    if let map { data += map }
    return data
  }

  /// Signs like the Secure Enclave: the message is the nonce, so that the signed digest is
  /// SHA-256(SHA-256(authenticatorData ‖ clientDataHash)).
  func sign(
    _ authenticatorData: [UInt8], clientDataHash: [UInt8], salt: UInt8 = 0,
    _ tools: borrowing SigningTools
  ) -> Assertion {
    let nonce = MintingDigest.sha256(authenticatorData + clientDataHash)
    let signature = tools.p256.sign(
      MintingDigest.sha256(nonce), secret: secret, salt: salt)
    return Assertion(authenticatorData: authenticatorData, r: signature.r, s: signature.s)
  }

  /// Returns an honest assertion.
  func assertion(
    counter: UInt32, clientDataHash: [UInt8], _ random: inout ForgeRandom,
    _ tools: borrowing SigningTools
  ) -> Assertion {
    let map = extensionMap(at: counter, &random)
    var assertion = sign(
      assertionData(counter: counter, map: map), clientDataHash: clientDataHash, tools)
    assertion.unsignedCode = unsignedCode(at: counter)
    return assertion
  }
}
