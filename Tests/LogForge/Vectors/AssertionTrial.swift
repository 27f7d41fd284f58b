internal import Minting

/// An assertion in the making, and the facts that a verifier is given with it.
struct AssertionTrial {
  /// The choice between the two signatures of each nonce.
  enum Half { case low, high }

  let world: VectorWorld
  var request: VectorRequest
  /// The device that signs.
  var device: Device
  var rpIDHash: [UInt8]
  var flags: UInt8
  var counter: UInt32 = 7
  /// The signed values about the build, or nil for a token without a map after byte 37.
  var claims: BuildClaims?
  /// The bytes after byte 37 in place of that map.
  var rest: [UInt8]?
  /// The clientDataHash that is signed, or nil for the hash of the client data.
  var signedHash: [UInt8]?
  /// Whether the nonce is signed as if it were a digest.
  var signsNonce = false
  var half: Half?
  /// Changes the assertion after it was signed.
  var signed: (inout Assertion) -> Void = { _ in }
  /// Makes the token, or nil for the form of Apple's devices.
  var token: ((Assertion) -> [UInt8])?
  /// Bytes without a meaning.
  let noise: [UInt8]

  init(_ row: VectorRow<AssertionTrial>, _ world: VectorWorld) {
    self.world = world
    var random = world.random(row.name)
    noise = random.bytes(32)
    device = world.device(row.base)
    request = world.request(device, &random)
    rpIDHash = device.app.rpIDHash
    claims = world.claims(row.base)
    flags = claims == nil ? 0x40 : 0xC0
    row.edit(&self)
  }

  /// Replaces the signature by the encoding that `encode` makes of its two numbers.
  mutating func encode(_ encode: @escaping (_ r: [UInt8], _ s: [UInt8]) -> [UInt8]) {
    signed = { $0.rawSignature = encode($0.r, $0.s) }
  }

  /// Makes the token.
  func minted() throws(MintingError) -> (token: [UInt8], request: VectorRequest) {
    var data = rpIDHash
    data.append(flags)
    data += CBORWriter.bigEndian(UInt64(counter), 4)
    data += rest ?? claims?.map ?? []
    let hash = signedHash ?? MintingDigest.sha256(request.clientData)
    var made = try device.sign(data, clientDataHash: hash, world.tools)
    if signsNonce {
      let signature = try world.tools.p256.sign(
        MintingDigest.sha256(data + hash), secret: device.secret)
      (made.r, made.s) = (signature.r, signature.s)
    }
    if let half {
      let other = try world.tools.p256.negated(made.s)
      if (half == .high) == made.s.lexicographicallyPrecedes(other) { made.s = other }
    }
    made.unsignedCode = device.unsignedCode(at: counter)
    signed(&made)
    if let token { return (token(made), request) }
    guard let unsigned = claims?.unsigned, !unsigned.isEmpty else { return (made.token, request) }
    return (made.token(with: unsigned), request)
  }
}
