internal import Minting

/// An attestation in the making, and the facts that a verifier is given with it.
struct AttestationTrial: Editable {
  private let world: VectorWorld
  private var request: VectorRequest
  private var recipe: AttestationRecipe
  /// The signed values about the build, or nil for a token without a map after the COSE key.
  private var claims: BuildClaims?
  /// Bytes without a meaning.
  private let noise: [UInt8]

  private init(_ row: VectorRow, _ world: VectorWorld) {
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
    row.edits.apply(to: &self)
  }

  func bytes(_ name: Substring) -> [UInt8]? {
    switch name {
    case "noise": noise
    case "point": recipe.cosePoint
    case "otherPoint": world.otherKey.point
    case "root": world.authority.root.certificate
    default:
      recipe.bytes(name) ?? request.bytes(name) ?? BuildClaims().bytes(name)
        ?? world.signers[name]?.certificate
    }
  }

  mutating func set(_ name: Substring, to value: EditValue) {
    switch name {
    case "claims": claims = nil
    case "key":
      guard let key = world.keys[value.text] else { return }
      request.keyID = MintingDigest.sha256(key.point)
      request.publicKey = key.point
      recipe.credentialID = request.keyID
      recipe.leafSubject = request.keyID
      recipe.leafPoint = key.point
      recipe.cosePoint = key.point
    case "chain": recipe.use(world.foreignChains[value.number])
    case "issuer":
      guard let issuer = world.signers[value.text] else { return }
      recipe.use(ForeignChain(issuer: issuer, certificates: [issuer.certificate]))
    case "receipt.signer":
      recipe.receipt.signer = world.signers[value.text] ?? recipe.receipt.signer
    case "receipt.digits":
      recipe.receipt.created = CalendarTime.rfc3339(
        request.time - 2_000, digits: value.number, tail: 123_456)
    // The seconds before and after the request in which the leaf is valid.
    case "validFor":
      let parts = value.text.split(separator: " ").compactMap { Int64($0) }
      recipe.notBefore = request.time / 1000 - parts[0]
      recipe.notAfter = request.time / 1000 + parts[1]
    // Apple's two clocks, in milliseconds after the request, and a validity of the leaf around them.
    case "signedAt":
      let created = request.time + Int64(value.number)
      recipe.notBefore = min(created, request.time) / 1000 - 86_400
      recipe.notAfter = max(created, request.time) / 1000 + 86_400
      recipe.receipt.created = CalendarTime.rfc3339(created)
      recipe.leafSerial = CBORWriter.bigEndian(UInt64(created), 6)
    case _ where name.hasPrefix("claims."): claims?.set(name.dropFirst(7), to: value)
    default: if !recipe.change(name, to: value) { request.set(name, to: value) }
    }
  }

  /// Makes the token of a row.
  static func mint(_ row: VectorRow, _ world: VectorWorld) -> (
    token: [UInt8], request: VectorRequest
  ) {
    let trial = AttestationTrial(row, world)
    var recipe = trial.recipe
    if let claims = trial.claims { recipe.extensionMap = claims.map }
    var made = AttestationMint.mint(recipe, world.tools)
    row.later.apply(to: &made, names: ["noise": trial.noise, "leaf": made.x5c[0]])
    let unsigned = trial.claims?.unsigned ?? CBORWriter.unsignedCode(recipe.unsignedCode)
    return (made.token(with: unsigned), trial.request)
  }
}

extension AttestationRecipe: Editable {
  func bytes(_ name: Substring) -> [UInt8]? {
    switch name {
    case "hash": clientDataHash
    case "authData": AttestationMint.authenticatorData(self)
    case "nonce": MintingDigest.sha256(AttestationMint.authenticatorData(self) + clientDataHash)
    case "credentialID": credentialID
    case "point": cosePoint
    case "leafSerial": leafSerial
    case "receipt.created": receipt.created.map { Array($0.utf8) }
    case "macAccess": System.macAccessControl
    case "phoneAccess": System.phoneAccessControl
    default: nil
    }
  }

  mutating func set(_ name: Substring, to value: EditValue) {
    let isKnown = change(name, to: value)
    precondition(isKnown, "an attestation has no \(name)")
  }

  /// Has the leaf signed by the end of another chain.
  mutating func use(_ other: ForeignChain) {
    issuer = other.issuer
    chain = other.certificates
    tamperedLeaf = other.tamperedLeaf
  }

  /// Returns whether there is a part of the name, which then has the value.
  mutating func change(_ name: Substring, to value: EditValue) -> Bool {
    switch name {
    case "format": format = value.string ?? ""
    case "rpIDHash": rpIDHash = value.some
    case "flags": flags = UInt8(value.number)
    case "counter": counter = UInt32(value.number)
    case "aaguid": aaguid = value.some
    case "credentialID": credentialID = value.some
    case "point": cosePoint = value.some
    case "cose": rawCOSEKey = value.bytes
    case "extensionMap": extensionMap = value.bytes
    case "hash": clientDataHash = value.some
    case "nonce": nonce = value.bytes.map { .other($0) } ?? .absent
    case "leafPoint": leafPoint = value.some
    case "leafSubject": leafSubject = value.some
    case "leafAppID": leafAppID = value.string ?? ""
    case "marks":
      let parts = value.text.split(separator: " ")
      system.otherMarks = (Int(parts[0]) ?? 0, String(parts[1]))
    case "accessControl": accessControl = value.bytes
    case "leafSerial": leafSerial = value.some
    case "more": chain.append(value.some)
    case "between": chain.insert(value.some, at: 0)
    case "unsignedCode": unsignedCode = value.bytes
    case "receipt": rawReceipt = value.bytes
    case "receipt.appID": receipt.appID = value.string ?? ""
    case "receipt.hash": receipt.clientHash = value.some
    case "receipt.certificate": receipt.certificate = value.bytes
    case "receipt.type": receipt.type = value.string ?? ""
    case "receipt.riskMetric": receipt.riskMetric = value.string
    case "receipt.environment": receipt.environment = value.string
    case "receipt.created": receipt.created = value.string
    case "receipt.notBefore": receipt.notBefore = value.string
    case "receipt.form": receipt.isBER = value.text == "BER"
    case "receipt.signature":
      receipt.signature =
        ReceiptSignature.allCases.first { "\($0)" == value.text } ?? receipt.signature
    case "receipt.changed":
      receipt.tamperedContent = value.text == "content"
      receipt.tamperedSignature = value.text == "signature"
    default: return false
    }
    return true
  }
}
