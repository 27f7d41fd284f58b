internal import Minting

/// The device and the app that a vector begins with.
struct VectorBase: Sendable {
  var app = SyntheticApp.bank
  var system = System.iOS17
  var isDevelopment = false

  static let phone = VectorBase()
  static let phone27 = VectorBase(system: .iOS27)
  static let mac = VectorBase(system: .macOS27)
  static let game = VectorBase(app: .game, system: .iOS27)
  static let vault = VectorBase(app: .vault, system: .iOS27)
}

/// A row in the tables of vectors: an honest token with one change, and the result that is expected.
struct VectorRow<Trial>: Sendable {
  typealias Edit = @Sendable (inout Trial) -> Void

  /// The result that is expected of a verifier, as in Wycheproof.
  enum Result: String, Sendable { case valid, invalid, acceptable }

  let name: String
  let result: Result
  let reasons: [VectorReason]
  let flags: [VectorFlag]
  let base: VectorBase
  let edit: Edit

  static func valid(
    _ name: String, _ reasons: VectorReason..., flags: [VectorFlag] = [],
    on base: VectorBase = .phone, _ edit: @escaping Edit = { _ in }
  ) -> Self {
    Self(name: name, result: .valid, reasons: reasons, flags: flags, base: base, edit: edit)
  }

  static func invalid(
    _ name: String, _ reasons: VectorReason..., flags: [VectorFlag] = [],
    on base: VectorBase = .phone, _ edit: @escaping Edit
  ) -> Self {
    Self(name: name, result: .invalid, reasons: reasons, flags: flags, base: base, edit: edit)
  }

  /// Returns a row of a matter of policy, which one of its flags names.
  static func acceptable(
    _ name: String, _ reasons: VectorReason..., flags: [VectorFlag],
    on base: VectorBase = .phone, _ edit: @escaping Edit
  ) -> Self {
    Self(name: name, result: .acceptable, reasons: reasons, flags: flags, base: base, edit: edit)
  }

  /// Returns a row that is valid, or invalid for `reason`.
  static func either(
    _ isValid: Bool, _ name: String, _ reason: VectorReason, flags: [VectorFlag] = [],
    on base: VectorBase = .phone, _ edit: @escaping Edit
  ) -> Self {
    let reasons = isValid ? [VectorReason.fact("The check is passed.", reason.rules)] : [reason]
    return Self(
      name: name, result: isValid ? .valid : .invalid, reasons: reasons, flags: flags, base: base,
      edit: edit)
  }
}

/// Rows about one subject.
struct VectorGroup<Trial>: Sendable {
  let subject: String
  let rows: [VectorRow<Trial>]

  init(_ subject: String, _ rows: [VectorRow<Trial>]) {
    self.subject = subject
    self.rows = rows
  }
}

/// The rules of the server of a vector, beside those that hold for all.
struct VectorPolicy: Sendable {
  var categories: [String] = []
  var bundleVersions: [String] = []
  var codeHashes: [[UInt8]] = []
  var requires: [String] = []
  var receipts = "verify"
  var macOSAccessControl = "verify"
  /// In seconds.
  var attestationMaxAge = 86_400

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
  /// A key whose x begins with a zero byte, and one whose y does.
  let shortX: MintedKey
  let shortY: MintedKey
  let foreignChains: [ForeignChain]
  /// Authorities under the root: one that expired, one that is not valid yet.
  let expired: Certified
  let future: Certified
  /// Signers of receipts: under another root, expired, and with other markers than Apple's.
  let foreignSigner: Certified
  let expiredSigner: Certified
  let unmarkedSigners: [Certified]

  init(seed: UInt64) throws(MintingError) {
    self.seed = seed
    let tools = try SigningTools()
    let authority = try SyntheticAuthority(seed: seed, tools)
    var random = ForgeRandom(seed, 0x7EC)
    key = try MintedKey(.p256, &random, tools)
    otherKey = try MintedKey(.p256, &random, tools)
    shortX = try Self.short(1, &random, tools)
    shortY = try Self.short(33, &random, tools)
    var chains: [ForeignChain] = []
    for variant in 0..<9 {
      chains.append(try ForeignChains.chain(variant, authority, &random, tools))
    }
    foreignChains = chains
    let name = "Synthetic App Attestation CA 0"
    let noon = Self.noon / 1000
    expired = try SyntheticAuthority.intermediate(
      name, .p384, under: authority.root, flaws: .init(notAfter: noon - 1), &random, tools)
    future = try SyntheticAuthority.intermediate(
      name, .p384, under: authority.root, flaws: .init(notBefore: noon + 1), &random, tools)
    let root = try SyntheticAuthority.root("Synthetic Root CA - G3", &random, tools)
    foreignSigner = try SyntheticAuthority.receiptSigner(under: root, &random, tools)
    expiredSigner = try SyntheticAuthority.receiptSigner(
      under: authority.receiptIntermediate, notAfter: noon - 86_400, &random, tools)
    var unmarked: [Certified] = []
    for markers in AttackCatalog.strayMarkers {
      unmarked.append(
        try SyntheticAuthority.receiptSigner(
          under: authority.receiptIntermediate, markers: markers, &random, tools))
    }
    unmarkedSigners = unmarked
    self.tools = tools
    self.authority = authority
  }

  /// Returns a key with a zero byte at `place` of its point.
  private static func short(
    _ place: Int, _ random: inout ForgeRandom, _ tools: borrowing SigningTools
  ) throws(MintingError) -> MintedKey {
    var key = try MintedKey(.p256, &random, tools)
    while key.point[place] != 0 { key = try MintedKey(.p256, &random, tools) }
    return key
  }

  /// Returns a device with an honest form: the AT bit, the ED bit where a map follows, no update.
  func device(_ base: VectorBase, _ key: MintedKey? = nil) -> Device {
    let key = key ?? self.key
    var device = Device(
      seed: seed, stream: 0, secret: key.secret, point: key.point,
      id: MintingDigest.sha256(key.point))
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

/// Joins lists that are written one after the other. The compiler then examines each list separately.
@resultBuilder
enum ListBuilder<Element> {
  static func buildExpression(_ list: [Element]) -> [Element] { list }
  static func buildPartialBlock(first: [Element]) -> [Element] { first }
  static func buildPartialBlock(accumulated: [Element], next: [Element]) -> [Element] {
    accumulated + next
  }
}
