internal import Basics
internal import Minting

/// A synthetic device with one App Attest key, and its habits.
struct Device: Sendable {
  /// The number that distinguishes the device's random streams from all others.
  let stream: UInt64
  let seed: UInt64
  let secret: [UInt8]
  /// The X9.62 uncompressed point.
  let point: [UInt8]
  /// The SHA-256 of the point.
  var id: [UInt8]
  var app: SyntheticApp
  var isDevelopment: Bool
  var system: System
  /// The server's name for the device, if it has one beside the key.
  var deviceID: String
  /// The account that uses the device, if the log contains it.
  var subject: String?
  var category: UInt32
  var bundleVersion: String
  /// Whether the app asked to have its code hash in tokens.
  var showsCode: Bool
  /// The bundle version after an update of the app, and the counter of the first request with it.
  var update: (version: String, counter: UInt32)?
  /// Whether assertions have the AT bit, although nothing follows.
  var setsATFlag: Bool
  /// Whether the ED bit announces the map.
  var setsEDFlag: Bool

  init(seed: UInt64, stream: UInt64, _ key: MintedKey) {
    self.seed = seed
    self.stream = stream
    secret = key.secret
    point = key.point
    id = MintingDigest.sha256(key.point)
    var random = ForgeRandom(seed, 0xDE1, stream)
    app = random.below(5) < 3 ? .bank : .game
    isDevelopment = app.allowsDevelopment && random.once(in: 4)
    system = random.pick(System.all)
    switch random.below(4) {
    case 0: subject = nil
    case 1: subject = "\(100_000 + random.below(900_000_000))"
    case 2: subject = "konto/\(random.below(1_000_000_000)) – \u{1F9EA}"
    default: subject = "user-\(random.below(1_000_000_000))"
    }
    category =
      app.categories.isEmpty ? random.pick([2, 3, 4, 5, 6, 10]) : random.pick(app.categories)
    bundleVersion =
      app.bundleVersions.isEmpty
      ? "\(random.below(9)).\(random.below(20))"
      : random.pick(app.bundleVersions)
    setsATFlag = random.once(in: 2)
    setsEDFlag = !random.once(in: 4)
    showsCode = !random.once(in: 4)
    if random.once(in: 2), let later = Self.later(bundleVersion, app) {
      update = (later, UInt32(2 + random.below(12)))
    }
    deviceID = Self.deviceID(seed: seed, stream: stream)
  }

  /// Returns a UUID in most cases, a number in others.
  private static func deviceID(seed: UInt64, stream: UInt64) -> String {
    var random = ForgeRandom(seed, 0xDE7, stream)
    if random.once(in: 4) { return String(random.within(111_111...999_999_999)) }
    let digits = String(decoding: TextCode.upperHex.encode(random.bytes(16)), as: UTF8.self)
    var text = ""
    for (place, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(place) { text.append("-") }
      text.append(digit)
    }
    return text
  }

  /// Returns a random stream for one event of the device.
  func random(_ purpose: UInt64, _ event: UInt64) -> ForgeRandom {
    ForgeRandom(seed, purpose, stream, event)
  }

  /// The aaguid of the device's environment.
  var aaguid: [UInt8] { isDevelopment ? Self.development : Self.production }

  /// `appattest` and seven zero bytes.
  static let production = Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
  static let development = Array("appattestdevelop".utf8)

  /// Returns a later bundle version of `app`, if there is one.
  private static func later(_ version: String, _ app: SyntheticApp) -> String? {
    guard let place = app.bundleVersions.firstIndex(of: version) else { return version + ".1" }
    return place + 1 < app.bundleVersions.count ? app.bundleVersions[place + 1] : nil
  }

  /// Returns the bundle version of the app that makes the request with this counter.
  private func version(at counter: UInt32) -> String {
    if let update, counter >= update.counter { return update.version }
    return bundleVersion
  }

  /// Returns the code hash outside the signature at this counter, or nil if tokens have none.
  func unsignedCode(at counter: UInt32) -> [UInt8]? {
    guard system.showsUnsignedCode && showsCode else { return nil }
    return Array(app.codeHash(of: version(at: counter)).prefix(20))
  }

  /// Returns the CBOR map at the end of authenticator data at this counter, or nil on systems
  /// before 27.
  func extensionMap(at counter: UInt32, _ random: inout ForgeRandom) -> [UInt8]? {
    guard system.signsCode else { return nil }
    return extensionMap(
      code: showsCode ? app.codeHash(of: version(at: counter)) : nil,
      bundleVersion: version(at: counter), category: random.once(in: 12) ? nil : category, &random)
  }

  /// Returns the CBOR map with these values, any of which can be left out, and now and then with an
  /// unknown key. No Mac gives a bundle version (`facts.R8`).
  func extensionMap(
    code: [UInt8]? = nil, bundleVersion: String? = nil, category: UInt32?,
    _ random: inout ForgeRandom
  ) -> [UInt8] {
    var pairs: [(key: [UInt8], value: [UInt8])] = []
    if let code {
      pairs.append((CBORWriter.text("apple_cd_hash_hash_01"), CBORWriter.bytes(code)))
      pairs.append((CBORWriter.text("apple_cd_hash_type_01"), CBORWriter.bytes([2])))
    }
    if let bundleVersion, !system.isMac {
      pairs.append((CBORWriter.text("apple_bundle_version_01"), CBORWriter.text(bundleVersion)))
    }
    if let category {
      let bytes = CBORWriter.bigEndian(UInt64(category), 4).reversed()
      pairs.append(
        (CBORWriter.text("apple_validation_category_01"), CBORWriter.bytes(Array(bytes))))
    }
    if random.once(in: 6) {
      pairs.append((CBORWriter.text("synthetic_future_01"), CBORWriter.array([[0xF5], [0x01]])))
    }
    return CBORWriter.map(pairs)
  }
}
