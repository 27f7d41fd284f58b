internal import Minting

/// An assertion in the making, and the facts that a verifier is given with it.
struct AssertionTrial: Editable {
  private let world: VectorWorld
  private var request: VectorRequest
  /// The device that signs.
  private var device: Device
  private var rpIDHash: [UInt8]
  private var flags: UInt8
  private var counter: UInt32 = 7
  /// The signed values about the build, or nil for a token without a map after byte 37.
  private var claims: BuildClaims?
  /// The bytes after byte 37 in place of that map.
  private var rest: [UInt8]?
  /// The clientDataHash that is signed, or nil for the hash of the client data.
  private var signedHash: [UInt8]?
  /// Whether the nonce is signed as if it were a digest.
  private var signsNonce = false
  /// The choice between the two signatures of each nonce: `low` or `high`.
  private var half: Substring?
  /// Bytes without a meaning.
  private let noise: [UInt8]

  private init(_ row: VectorRow, _ world: VectorWorld) {
    self.world = world
    var random = world.random(row.name)
    noise = random.bytes(32)
    device = world.device(row.base)
    request = world.request(device, &random)
    rpIDHash = device.app.rpIDHash
    claims = world.claims(row.base)
    flags = claims == nil ? 0x40 : 0xC0
    row.edits.apply(to: &self)
  }

  func bytes(_ name: Substring) -> [UInt8]? {
    name == "noise" ? noise : request.bytes(name) ?? BuildClaims().bytes(name)
  }

  mutating func set(_ name: Substring, to value: EditValue) {
    switch name {
    case "rpIDHash": rpIDHash = value.some
    case "flags": flags = UInt8(value.number)
    case "counter": counter = UInt32(value.number)
    case "claims": claims = nil
    case "rest": rest = value.bytes
    case "signedHash": signedHash = value.bytes
    case "signs": signsNonce = true
    case "half": half = value.text
    case "key": device = world.device(VectorBase(), world.otherKey)
    case _ where name.hasPrefix("claims."): claims?.set(name.dropFirst(7), to: value)
    default: request.set(name, to: value)
    }
  }

  /// Makes the token of a row.
  static func mint(_ row: VectorRow, _ world: VectorWorld) -> (
    token: [UInt8], request: VectorRequest
  ) {
    let trial = AssertionTrial(row, world)
    var data = trial.rpIDHash
    data.append(trial.flags)
    data += CBORWriter.bigEndian(UInt64(trial.counter), 4)
    data += trial.rest ?? trial.claims?.map ?? []
    let hash = trial.signedHash ?? MintingDigest.sha256(trial.request.clientData)
    var made = trial.device.sign(data, clientDataHash: hash, world.tools)
    if trial.signsNonce {
      let signature = world.tools.p256.sign(
        MintingDigest.sha256(data + hash), secret: trial.device.secret)
      (made.r, made.s) = (signature.r, signature.s)
    }
    if let half = trial.half {
      let other = world.tools.p256.negated(made.s)
      if (half == "high") == made.s.lexicographicallyPrecedes(other) { made.s = other }
    }
    made.unsignedCode = trial.device.unsignedCode(at: trial.counter)
    row.later.apply(to: &made, names: ["noise": trial.noise])
    let unsigned = trial.claims?.unsigned ?? []
    return (unsigned.isEmpty ? made.token : made.token(with: unsigned), trial.request)
  }
}
