internal import Minting

/// The rules of the server of a vector, beside those that hold for all.
struct VectorPolicy {
  var categories: [String] = []
  var bundleVersions: [String] = []
  var codeHashes: [[UInt8]] = []
  var requires: [String] = []
  var receipts = "verify"
  var macOSAccessControl = "verify"
  /// In seconds.
  var attestationMaxAge = 86_400

  mutating func set(_ name: Substring, to value: EditValue) {
    switch name {
    case "receipts": receipts = String(value.text)
    case "macOSAccessControl": macOSAccessControl = String(value.text)
    case "attestationMaxAge": attestationMaxAge = value.number
    case "categories": categories = [value.string ?? ""]
    case "bundleVersions": bundleVersions = [value.string ?? ""]
    case "codeHashes": codeHashes = [value.some]
    case "requires": requires = [value.string ?? ""]
    default: preconditionFailure("a policy has no \(name)")
    }
  }

  init(_ app: SyntheticApp) {
    switch app {
    case .game:
      categories = ["appStore", "testFlight"]
      bundleVersions = app.bundleVersions
      codeHashes = app.bundleVersions.map(app.codeHash)
    case .vault:
      categories = ["appStore"]
      bundleVersions = [">=7.10 <8", "b\u{E9}ta"]
      codeHashes = [BuildClaims.honest]
      requires = ["category", "bundleVersion", "codeHash"]
    default: break
    }
  }
}

/// The facts that a verifier is given beside the token.
struct VectorRequest {
  var clientData: [UInt8]
  /// The clientDataHash that the client states, or nil if it is the hash of the client data.
  var statedHash: [UInt8]?
  var keyID: [UInt8]
  /// The X9.62 uncompressed point.
  var publicKey: [UInt8]
  var appID: String
  /// Whether the server works in Apple's development environment.
  var isDevelopment: Bool
  /// In milliseconds since 1970.
  var time: Int64
  var policy: VectorPolicy
  /// The counter of the key's last assertion, or 0 if there was none.
  var previousCounter: UInt32 = 6

  var clientDataHash: [UInt8] { statedHash ?? MintingDigest.sha256(clientData) }

  func bytes(_ name: Substring) -> [UInt8]? {
    switch name {
    case "keyID": keyID
    case "clientData": clientData
    case "appID": Array(appID.utf8)
    default: nil
    }
  }

  mutating func set(_ name: Substring, to value: EditValue) {
    switch name {
    case "keyID": keyID = value.some
    case "clientData": clientData = value.some
    case "statedHash": statedHash = value.bytes
    case "appID": appID = value.string ?? ""
    case "later": time += Int64(value.number)
    case "previousCounter": previousCounter = UInt32(value.number)
    case _ where name.hasPrefix("policy."): policy.set(name.dropFirst(7), to: value)
    default: preconditionFailure("a request has no \(name)")
    }
  }
}

/// The authority, the keys and the wrong signers that all vectors of a seed share.
final class VectorWorld {
  /// 2026-03-01T12:00:00Z.
  static let noon: Int64 = 1_772_366_400_000

  let seed: UInt64
  let tools: SigningTools
  let authority: SyntheticAuthority
  let key: MintedKey
  let otherKey: MintedKey
  /// Keys by name: `shortX` and `shortY` have a coordinate that begins with a zero byte.
  let keys: [Substring: MintedKey]
  let foreignChains: [ForeignChain]
  /// Signers of leaves and of receipts, by name.
  let signers: [Substring: Certified]

  init(seed: UInt64) {
    self.seed = seed
    let tools = SigningTools()
    let authority = SyntheticAuthority(seed: seed, tools)
    var random = ForgeRandom(seed, 0x7EC)
    key = MintedKey(.p256, &random, tools)
    otherKey = MintedKey(.p256, &random, tools)
    keys = [
      "shortX": Self.short(1, &random, tools), "shortY": Self.short(33, &random, tools),
    ]
    var chains: [ForeignChain] = []
    for variant in 0..<9 {
      chains.append(ForeignChains.chain(variant, authority, &random, tools))
    }
    foreignChains = chains
    let name = "Synthetic App Attestation CA 0"
    let noon = Self.noon / 1000
    let expired = SyntheticAuthority.intermediate(
      name, .p384, under: authority.root, flaws: .init(notAfter: noon - 1), &random, tools)
    let future = SyntheticAuthority.intermediate(
      name, .p384, under: authority.root, flaws: .init(notBefore: noon + 1), &random, tools)
    let root = SyntheticAuthority.root("Synthetic Root CA - G3", &random, tools)
    var signers = [
      "own": authority.intermediate, "intermediate": authority.intermediate, "expired": expired,
      "future": future, "receiptIntermediate": authority.receiptIntermediate,
    ]
    signers["own"]?.key = key
    signers["foreignSigner"] = SyntheticAuthority.receiptSigner(under: root, &random, tools)
    signers["expiredSigner"] = SyntheticAuthority.receiptSigner(
      under: authority.receiptIntermediate, notAfter: noon - 86_400, &random, tools)
    for (place, markers) in AttackCatalog.strayMarkers.enumerated() {
      signers["unmarked\(place)"] = SyntheticAuthority.receiptSigner(
        under: authority.receiptIntermediate, markers: markers, &random, tools)
    }
    self.signers = Dictionary(uniqueKeysWithValues: signers.map { ($0.key[...], $0.value) })
    self.tools = tools
    self.authority = authority
  }

  /// Returns a key with a zero byte at `place` of its point.
  private static func short(
    _ place: Int, _ random: inout ForgeRandom, _ tools: borrowing SigningTools
  ) -> MintedKey {
    var key = MintedKey(.p256, &random, tools)
    while key.point[place] != 0 { key = MintedKey(.p256, &random, tools) }
    return key
  }

  /// Returns a device with an honest form: the AT bit, the ED bit where a map follows, no update.
  func device(_ base: VectorBase, _ key: MintedKey? = nil) -> Device {
    var device = Device(seed: seed, stream: 0, key ?? self.key)
    device.app = base.app
    device.system = base.system
    device.isDevelopment = base.isDevelopment
    device.bundleVersion = "7.11"
    device.category = 4
    device.showsCode = true
    device.update = nil
    device.setsATFlag = true
    device.setsEDFlag = true
    return device
  }

  /// Returns the random numbers of the vector called `name`.
  func random(_ name: String) -> ForgeRandom {
    let tag = MintingDigest.sha256(Array(name.utf8)).prefix(8).reduce(UInt64(0)) {
      $0 << 8 | UInt64($1)
    }
    return ForgeRandom(seed, 0x7EC, tag)
  }

  /// Returns the facts of a request of `device`.
  func request(_ device: Device, _ random: inout ForgeRandom) -> VectorRequest {
    VectorRequest(
      clientData: ClientData.unique(&random).bytes ?? [], keyID: device.id,
      publicKey: device.point, appID: device.app.id, isDevelopment: device.isDevelopment,
      time: Self.noon, policy: VectorPolicy(device.app))
  }

  /// Returns the signed values of an honest build on `system`, or nil before OS 27.
  func claims(_ base: VectorBase) -> BuildClaims? {
    guard base.system.signsCode else { return nil }
    var claims = BuildClaims()
    if base.system.isMac { claims.version = nil }
    if base.app == .game {
      claims.hash = CBORWriter.bytes(base.app.codeHash(of: "7.2"))
      if !base.system.isMac { claims.version = CBORWriter.text("7.2") }
    }
    return claims
  }
}
