internal import Minting

/// An attestation in the making, and the facts that a verifier is given with it.
struct AttestationTrial {
  let world: VectorWorld
  var request: VectorRequest
  var recipe: AttestationRecipe
  /// The signed values about the build, or nil for a token without a map after the COSE key.
  var claims: BuildClaims?
  /// Changes the parts after they were made.
  var parts: (inout AttestationParts) -> Void = { _ in }
  /// Makes the token of the parts, or nil for the form of Apple's devices.
  var token: ((AttestationParts) -> [UInt8])?
  /// Bytes without a meaning.
  let noise: [UInt8]

  init(_ row: VectorRow<AttestationTrial>, _ world: VectorWorld) {
    let device = world.device(row.base)
    var random = world.random(row.name)
    self.world = world
    noise = random.bytes(32)
    request = world.request(device, &random)
    recipe = device.attestation(
      at: request.time, clientDataHash: request.clientDataHash, authority: world.authority, &random)
    recipe.receipt.isBER = true
    recipe.receipt.signature = row.base.system.isBetaOf2020 ? .contentBesideAttributes : .content
    recipe.receipt.notBefore = nil
    claims = world.claims(row.base)
    recipe.flags = claims == nil ? 0x40 : 0xC0
    row.edit(&self)
  }

  /// Takes the key of the recipe, the leaf and the request from another pair.
  mutating func use(_ key: MintedKey) {
    request.keyID = MintingDigest.sha256(key.point)
    request.publicKey = key.point
    recipe.credentialID = request.keyID
    recipe.leafSubject = request.keyID
    recipe.leafPoint = key.point
    recipe.cosePoint = key.point
  }

  /// Has the leaf signed by the end of another chain.
  mutating func use(_ chain: ForeignChain) {
    recipe.issuer = chain.issuer
    recipe.chain = chain.certificates
    recipe.tamperedLeaf = chain.tamperedLeaf
  }

  /// Has the leaf signed by another authority under the root.
  mutating func use(_ issuer: Certified) {
    use(ForeignChain(issuer: issuer, certificates: [issuer.certificate]))
  }

  /// Sets Apple's two clocks, and a validity of the leaf around them.
  mutating func sign(at created: Int64) {
    recipe.notBefore = min(created, request.time) / 1000 - 86_400
    recipe.notAfter = max(created, request.time) / 1000 + 86_400
    recipe.receipt.created = CalendarTime.rfc3339(created)
    recipe.leafSerial = CBORWriter.bigEndian(UInt64(created), 6)
  }

  /// Adds bytes after the COSE key in place of the map of OS 27.
  mutating func follow(with bytes: [UInt8]) {
    claims = nil
    recipe.extensionMap = bytes
  }

  /// Makes the token.
  func minted() throws(MintingError) -> (token: [UInt8], request: VectorRequest) {
    var recipe = recipe
    if let claims { recipe.extensionMap = claims.map }
    var made = try AttestationMint.mint(recipe, world.tools)
    parts(&made)
    if let token { return (token(made), request) }
    let unsigned = claims?.unsigned ?? CBORWriter.unsignedCode(recipe.unsignedCode)
    return (made.token(with: unsigned), request)
  }
}
