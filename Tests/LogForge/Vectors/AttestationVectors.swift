internal import Minting

/// The table of attestations. Each row changes one thing in an honest attestation.
enum AttestationVectors {
  typealias Row = VectorRow<AttestationTrial>
  typealias Group = VectorGroup<AttestationTrial>

  static let groups = [
    Group("Attestations of each operating system", systems), Group("Genuine forms", genuine),
    Group("Token and CBOR", malformed + forms), Group("Format", formats),
    Group("Certificates", chains + certificateTimes), Group("Nonce", nonces),
    Group("Key", keys + coseKeys), Group("App ID", appIDs), Group("Counter", counters),
    Group("Environment", environments), Group("Credential", credentials),
    Group("Access control of Macs", accessControls), Group("Build", builds),
    Group("Receipt", receipts), Group("Apple's signed time", signedTimes),
  ]

  private static let systems: [Row] = ["production", "development"].flatMap { environment in
    System.distinct.map { system in
      Row.valid(
        "\(system.name), \(environment)",
        .fact("An honest attestation.", "R4", "R5", "R6", "R8", "facts.R14", "facts.R19"),
        on: VectorBase(system: system, isDevelopment: environment == "development"))
    }
  }

  // MARK: Genuine forms

  @ListBuilder<Row>
  private static var genuine: [Row] {
    [
      .valid(
        "x begins with a zero byte and is written with 31 bytes",
        .fact("Devices write such a coordinate with 31 bytes.", "R10", "facts.R11"),
        flags: [.genuine]
      ) { $0.use($0.world.shortX) },
      .valid(
        "y begins with a zero byte and is written with 31 bytes",
        .fact("Devices write such a coordinate with 31 bytes.", "R10", "facts.R11"),
        flags: [.genuine]
      ) { $0.use($0.world.shortY) },
    ]
    [0x40].map { flags in
      .valid(
        "flags 0x\(String(flags, radix: 16)), without a map after the COSE key",
        .fact("Flags do not control the parsing.", "R18", "facts.R6"), flags: [.genuine]
      ) { $0.recipe.flags = UInt8(flags) }
    }
    [
      .valid(
        "a map after the COSE key that no flag announces",
        .fact("Apple's sample of 2026 and a Mac leave the ED bit clear.", "R18", "facts.R6"),
        flags: [.genuine], on: .phone27
      ) { $0.recipe.flags = 0x40 },
      .valid(
        "no map after the COSE key on iOS 27",
        .fact("The map can be missing.", "R18", "facts.R7"), on: .phone27
      ) { $0.claims = nil },
      .valid(
        "an empty map after the COSE key", .fact("Exactly one map or nothing.", "R18", "facts.R7")
      ) { $0.recipe.extensionMap = [0xA0] },
      .valid(
        "an unknown key in the map", .fact("Unknown keys are ignored.", "facts.R9"), on: .phone27
      ) { $0.claims?.last = [(CBORWriter.text("synthetic_future_01"), [0x82, 0xF5, 1])] },
      .valid(
        "a map without a code hash", .fact("An app without the entitlement has none.", "facts.R8"),
        flags: [.genuine], on: .phone27
      ) {
        $0.claims?.hash = nil
        $0.claims?.type = nil
      },
      .valid(
        "a code hash at the top level of the token (iOS 18.5)",
        .fact("The member cdHash is outside the signature and is ignored.", "R39", "facts.R33"),
        flags: [.genuine], on: VectorBase(system: .iOS18)),
      .valid(
        "a false code hash at the top level of the token",
        .fact("The member cdHash is outside the signature and is ignored.", "R39", "facts.R33"),
        on: VectorBase(system: .iOS18)
      ) { $0.recipe.unsignedCode = Array($0.noise.prefix(20)) },
      .valid(
        "an unknown member of the token", .fact("Unknown keys are ignored.", "R18", "facts.R9")
      ) { $0.token = { $0.token(with: [(CBORWriter.text("note"), [0x01])]) } },
      .valid(
        "access control of an iPhone", .fact("Only Macs are compared.", "R36", "facts.R36"),
        on: VectorBase(system: .iOS26)),
    ]
    (1...6).map { category in
      .valid(
        "category \(category)", .fact("Apple assigned this category.", "R15", "facts.R8"),
        flags: [.category], on: .phone27
      ) { $0.claims?.category = CBORWriter.bytes([UInt8(category), 0, 0, 0]) }
    }
    ReceiptSignature.allCases.flatMap { signature in
      [true, false].map { isBER in
        Row.valid(
          "a receipt in \(isBER ? "BER" : "DER"), \(signature.words)",
          .fact(
            "Apple's receipts have this form, or had it in 2020.", "R19", "facts.R21", "facts.R22"),
          flags: signature == .attributes ? [.receipt] : [.receipt, .genuine]
        ) {
          $0.recipe.receipt.signature = signature
          $0.recipe.receipt.isBER = isBER
        }
      }
    }
    [0, 1, 2, 6, 9].map { digits in
      .valid(
        "a creation time with \(digits) fraction digits",
        .fact("RFC 3339 with any number of fraction digits.", "R19", "facts.R25"), flags: [.receipt]
      ) {
        let created = $0.request.time - 2_000
        $0.recipe.receipt.created = CalendarTime.rfc3339(created, digits: digits, tail: 123_456)
      }
    }
  }

  // MARK: CBOR

  @ListBuilder<Row>
  private static var malformed: [Row] {
    ([
      (0, "a byte after the token", .attestationCBOR),
      (1, "a token that was cut", .attestationCBOR), (2, "fmt twice", .attestationDuplicate),
      (3, "text that is not UTF-8", .attestationCBOR),
      (5, "only the leaf in x5c", .attestationForm),
      (7, "a second certificate that is not DER", .attestationForm),
      (8, "a credential longer than authData", .attestationForm),
      (10, "no credential", .attestationForm),
      (12, "fmt is a byte string", .attestationForm),
      (13, "a map of indefinite length without its end", .attestationCBOR),
      (15, "a byte string longer than the token", .attestationCBOR),
    ] as [(Int, String, VectorReason)]).map { variant, name, reason in
      .invalid(
        name, reason,
        flags: reason.text == VectorReason.attestationDuplicate.text ? [.duplicateKey] : []
      ) { trial in
        let junk = trial.noise
        trial.token = { MalformedTokens.attestation($0, variant: variant, junk: junk) }
      }
    }
    [(4, "17 levels of arrays"), (11, "more than 64 KiB")].map { variant, name in
      .acceptable(name, .attestationLimit, flags: [.limit]) {
        $0.token = { MalformedTokens.attestation($0, variant: variant, junk: []) }
      }
    }
    ([
      ("no bytes", []), ("the number 0", [0x00]), ("null", [0xF6]), ("an empty map", [0xA0]),
      ("an empty array", [0x80]), ("a reserved additional information", [0xBC]),
      ("a map longer than any token", [0xBB] + [UInt8](repeating: 0x7F, count: 8)),
      ("5,000 open arrays", [UInt8](repeating: 0x9F, count: 5_000)),
      ("5,000 tags", [UInt8](repeating: 0xC1, count: 5_000)),
    ] as [(name: String, bytes: [UInt8])]).map { name, bytes in
      .invalid(name, .attestationCBOR) { $0.token = { _ in bytes } }
    }
    members.map { name, members in
      .invalid(name, .attestationForm) {
        $0.token = { CBORWriter.map(members($0).map { (CBORWriter.text($0), $1) }) }
      }
    }
    [
      .invalid("the map in an array", .attestationForm) {
        $0.token = { CBORWriter.array([$0.token]) }
      },
      .invalid("the map in a byte string", .attestationForm) {
        $0.token = { CBORWriter.bytes($0.token) }
      },
      .invalid("the base64 of the token", .attestationCBOR) {
        $0.token = { TextCode.base64.encode($0.token) }
      },
      .invalid("authData of 36 bytes", .attestationForm) {
        $0.parts = { $0.authData = Array($0.authData.prefix(36)) }
      },
      .invalid("authData ends in the aaguid", .attestationForm) {
        $0.parts = { $0.authData = Array($0.authData.prefix(50)) }
      },
      .acceptable("a receipt that is text", .attestationForm, flags: [.receipt]) {
        $0.token = { MalformedTokens.attestation($0, variant: 6, junk: []) }
      },
      .acceptable("no COSE key", .attestationForm, flags: [.coseKey]) { $0.recipe.rawCOSEKey = [] },
      .acceptable("a COSE key that is an array", .attestationForm, flags: [.coseKey]) {
        $0.recipe.rawCOSEKey = [0x80]
      },
      .acceptable("a COSE key that was cut", .attestationForm, flags: [.coseKey]) {
        $0.recipe.rawCOSEKey = AttestationMint.coseKey($0.recipe.cosePoint, algorithm: -7).dropLast(
          9)
      },
      .invalid("a leaf that was cut", .attestationForm) { $0.parts = { $0.x5c[0].removeLast() } },
      .invalid("a byte after the leaf's DER", .attestationForm) {
        $0.parts = { $0.x5c[0].append(0) }
      },
      .invalid("an empty leaf", .attestationForm) { $0.parts = { $0.x5c[0] = [] } },
    ]
  }

  /// Bytes in place of the map after the COSE key or after byte 37.
  static let oddMaps: KeyValuePairs<String, [UInt8]> = [
    "a number": [0x01], "an array": [0x80], "a break": [0xFF], "two maps": [0xA0, 0xA0],
    "a map that was cut": [0xA1, 0x61],
    "a map with a duplicate key": [0xA2, 0x61, 0x61, 1, 0x61, 0x61, 1],
    "a map with text that is not UTF-8": [0xA1, 0x61, 0xFF, 1],
    "a tag before a map": [0xD9, 0xD9, 0xF7, 0xA0],
    "a map longer than any token": [0xBB] + [UInt8](repeating: 0x7F, count: 8),
  ]

  /// Tokens in which a member is missing or has another type.
  private static let members:
    KeyValuePairs<String, @Sendable (AttestationParts) -> [(String, [UInt8])]> = [
      "no fmt": { [("attStmt", $0.statement), ("authData", CBORWriter.bytes($0.authData))] },
      "no attStmt": {
        [("fmt", CBORWriter.text($0.format)), ("authData", CBORWriter.bytes($0.authData))]
      },
      "no authData": { [("fmt", CBORWriter.text($0.format)), ("attStmt", $0.statement)] },
      "authData is text": { whole($0, authData: CBORWriter.text("authData")) },
      "authData in an array": {
        whole($0, authData: CBORWriter.array([CBORWriter.bytes($0.authData)]))
      },
      "attStmt is an array": { whole($0, statement: [0x80]) },
      "attStmt is empty": { whole($0, statement: [0xA0]) },
      "x5c is a byte string": { whole($0, statement: x5c(CBORWriter.bytes($0.x5c[0]))) },
      "x5c is empty": { whole($0, statement: x5c([0x80])) },
      "x5c contains text": {
        whole(
          $0,
          statement: x5c(CBORWriter.array([CBORWriter.bytes($0.x5c[0]), CBORWriter.text("CA")])))
      },
      "x5c contains null": { whole($0, statement: x5c(CBORWriter.array([[0xF6], [0xF6]]))) },
      "names in capitals": {
        [
          ("FMT", CBORWriter.text($0.format)), ("ATTSTMT", $0.statement),
          ("AUTHDATA", CBORWriter.bytes($0.authData)),
        ]
      },
      "an assertion": {
        [
          ("signature", CBORWriter.bytes($0.x5c[1])),
          ("authenticatorData", CBORWriter.bytes($0.authData)),
        ]
      },
    ]

  private static func x5c(_ value: [UInt8]) -> [UInt8] {
    CBORWriter.map([(CBORWriter.text("x5c"), value)])
  }

  private static func whole(
    _ parts: AttestationParts, statement: [UInt8]? = nil, authData: [UInt8]? = nil
  ) -> [(String, [UInt8])] {
    [
      ("fmt", CBORWriter.text(parts.format)), ("attStmt", statement ?? parts.statement),
      ("authData", authData ?? CBORWriter.bytes(parts.authData)),
    ]
  }

  /// The same token in other bytes.
  private static let respellings: KeyValuePairs<String, @Sendable (AttestationParts) -> [UInt8]> = [
    "a map of indefinite length, authData in pieces": { $0.respelledToken },
    "the members in another order": { parts in
      CBORWriter.map(whole(parts).reversed().map { (CBORWriter.text($0), $1) })
    },
    "lengths of eight bytes": { parts in
      CBORWriter.map(
        whole(parts, authData: CBORWriter.bytes(parts.authData, .longest)).map {
          (CBORWriter.text($0, .longest), $1)
        }, .longest)
    },
    "names in pieces": { parts in
      CBORWriter.map(whole(parts).map { (CBORWriter.chunkedText($0, chunk: 2), $1) })
    },
    "x5c of indefinite length": { parts in
      let list: [UInt8] = [0x9F] + parts.x5c.flatMap { CBORWriter.bytes($0) } + [0xFF]
      let statement = CBORWriter.map([
        (CBORWriter.text("x5c"), list),
        (CBORWriter.text("receipt"), CBORWriter.bytes(parts.receipt)),
      ])
      return CBORWriter.map(
        whole(parts, statement: statement).map { (CBORWriter.text($0), $1) })
    },
  ]

  /// The same token in other bytes.
  @ListBuilder<Row>
  private static var forms: [Row] {
    respellings.map { name, token in
      .acceptable(
        name, .fact("RFC 8949, sections 3.2 and 4: valid, and not the preferred form.", "R29"),
        flags: [.cborForm]
      ) { $0.token = token }
    }
    ([
      ("tag 55799 before the map", [0xD9, 0xD9, 0xF7]), ("tag 1 before the map", [0xC1]),
      ("two tags before the map", [0xD9, 0xD9, 0xF7, 0xD8, 0x18]),
    ] as [(name: String, tags: [UInt8])]).map { name, tags in
      .acceptable(
        name,
        .fact("RFC 8949, section 3.4: a tag before the map changes none of its members.", "R31"),
        flags: [.cborTag]
      ) { $0.token = { tags + $0.token } }
    }
    [
      .acceptable(
        "a token of exactly 64 KiB", .fact("The longest that attest-audit reads.", "R32"),
        flags: [.limit]
      ) {
        $0.token = { parts in
          let size = 65_536 - parts.token(with: [(CBORWriter.text("note"), [0x59, 0, 0])]).count
          return parts.token(with: [
            (CBORWriter.text("note"), CBORWriter.bytes([UInt8](repeating: 0, count: size)))
          ])
        }
      },
      .acceptable(
        "16 levels", .fact("The deepest that attest-audit reads.", "R32"), flags: [.limit]
      ) {
        $0.token = {
          $0.token(with: [(CBORWriter.text("note"), [UInt8](repeating: 0x81, count: 14) + [0x80])])
        }
      },
    ]
    oddMaps.map { name, bytes in
      .acceptable("\(name) after the COSE key", .attestationForm, flags: [.unread]) {
        $0.follow(with: bytes)
      }
    }
  }

  private static let formats: [Row] = [
    "packed", "apple", "none", "", "Apple-AppAttest", "apple-appattest ", "apple-appattest\u{0}",
    "android-key", "fido-u2f",
  ].map { format in
    .invalid("the format \(format.debugDescription)", .format) { $0.recipe.format = format }
  }

  // MARK: Certificates

  @ListBuilder<Row>
  private static var chains: [Row] {
    [
      "a root of another name", "another root with the name of the root",
      "another root, inside x5c",
      "an intermediate that is not an authority", "an intermediate that must not sign certificates",
      "a leaf with a changed signature", "a leaf with another issuer's name",
      "an authority more than the path length allows", "a leaf signed by a device's leaf",
    ].enumerated().map { place, name in
      .invalid(name, .chain) { $0.use($0.world.foreignChains[place]) }
    }
    [
      .invalid("a leaf of the receipt authority", .chain) {
        $0.use($0.world.authority.receiptIntermediate)
      },
      .invalid("a leaf signed by its own key", .chain) {
        $0.recipe.issuer = $0.world.authority.intermediate
        $0.recipe.issuer.key = $0.world.key
      },
      .invalid(
        "the intermediate in place of the leaf", .nonce, .keyID, .publicKey, .receipt
      ) {
        $0.parts = { $0.x5c = [$0.x5c[1], $0.x5c[0]] }
      },
      .invalid("the leaf in place of the intermediate", .chain) {
        $0.parts = { $0.x5c[1] = $0.x5c[0] }
      },
      .invalid("a bit of the leaf changed", .chain, .receipt) {
        $0.parts = { $0.x5c[0][50] ^= 1 }
      },
      .invalid("a bit of the intermediate's signature changed", .chain) {
        $0.parts = { $0.x5c[1][$0.x5c[1].count - 1] ^= 1 }
      },
      .acceptable(
        "the root in x5c, too",
        .fact("The chain ends in the root, with or without it.", "R6", "facts.R12"),
        flags: [.extraCertificate]
      ) { $0.recipe.chain.append($0.world.authority.root.certificate) },
      .acceptable(
        "a certificate of another authority between leaf and intermediate",
        .fact("The others can be in any order.", "R6"), flags: [.extraCertificate]
      ) { $0.recipe.chain.insert($0.world.authority.receiptIntermediate.certificate, at: 0) },
      .acceptable(
        "the intermediate twice", .fact("The chain is the same.", "R6"), flags: [.extraCertificate]
      ) { $0.recipe.chain.append($0.recipe.chain[0]) },
      .valid(
        "a leaf without the key usage of 2026",
        .fact("No extended key usage is required.", "R6", "facts.R17"),
        on: VectorBase(system: .iOS14Beta)),
    ]
  }

  @ListBuilder<Row>
  private static var certificateTimes: [Row] {
    ([
      ("the first second of the leaf", true, 0, 999, 86_400),
      ("the last second of the leaf", true, 86_400, 0, 0),
      ("one second before the leaf", false, -1, 0, 86_400),
      ("one second after the leaf", false, 86_400, 0, -1),
      ("a leaf of three days ago", false, 5 * 86_400, 0, -2 * 86_400),
      ("a leaf of next week", false, -7 * 86_400, 0, 10 * 86_400),
      ("a leaf valid for a year", true, 180 * 86_400, 0, 180 * 86_400),
      ("a leaf valid for a second", true, 0, 0, 0),
    ] as [(name: String, isValid: Bool, before: Int64, milliseconds: Int64, after: Int64)]).map {
      name, isValid, before, milliseconds, after in
      .either(isValid, name, .certificateTime) {
        let seconds = $0.request.time / 1000
        $0.request.time += milliseconds
        $0.recipe.notBefore = seconds - before
        $0.recipe.notAfter = seconds + after
      }
    }
    [
      .invalid("an intermediate that has expired", .certificateTime) { $0.use($0.world.expired) },
      .invalid("an intermediate that is not valid yet", .certificateTime) {
        $0.use($0.world.future)
      },
    ]
  }

  // MARK: Nonce, key, app

  private static let nonces: [Row] = [
    .invalid("a random nonce", .nonce) { $0.recipe.nonce = .other($0.noise) },
    .invalid("another challenge", .nonce, .receipt) {
      $0.recipe.clientDataHash = $0.noise
      $0.recipe.receipt.clientHash = $0.noise
    },
    .invalid("no nonce", .nonce) { $0.recipe.nonce = .absent },
    .invalid("an empty nonce", .nonce) { $0.recipe.nonce = .other([]) },
    .invalid("clientDataHash in place of the nonce", .nonce) {
      $0.recipe.nonce = .other($0.recipe.clientDataHash)
    },
    .invalid("31 bytes of the nonce", .nonce) { $0.changeNonce { Array($0.prefix(31)) } },
    .invalid("the nonce and another byte", .nonce) { $0.changeNonce { $0 + [0] } },
    .invalid("a bit of the nonce changed", .nonce) {
      $0.changeNonce { $0.dropLast() + [$0[31] ^ 1] }
    },
    .invalid("the hash of the nonce", .nonce) { $0.changeNonce { MintingDigest.sha256($0) } },
    .invalid("a nonce over clientDataHash and authData in the other order", .nonce) {
      $0.recipe.nonce = .other(
        MintingDigest.sha256(
          $0.recipe.clientDataHash + AttestationMint.authenticatorData($0.recipe)))
    },
    .invalid("client data that were not hashed", .nonce) {
      $0.recipe.nonce = .other(
        MintingDigest.sha256(AttestationMint.authenticatorData($0.recipe) + $0.request.clientData))
    },
    .invalid("client data that were hashed twice", .nonce, .receipt) {
      $0.recipe.clientDataHash = MintingDigest.sha256($0.recipe.clientDataHash)
      $0.recipe.receipt.clientHash = $0.recipe.clientDataHash
    },
    .invalid("a flag changed after the leaf was made", .nonce) {
      $0.parts = { $0.authData[32] ^= 1 }
    },
    .invalid("a map added after the leaf was made", .nonce) {
      $0.parts = { $0.authData += [0xA0] }
    },
    .invalid("client data changed on the way", .nonce, .receipt) {
      $0.request.clientData.append(0x20)
    },
    .invalid("the hash that the client states", .nonce, .receipt, .statedHash, flags: [.statedHash])
    {
      $0.recipe.clientDataHash = $0.noise
      $0.recipe.receipt.clientHash = $0.noise
      $0.request.statedHash = $0.noise
    },
    .acceptable("a false stated hash beside right client data", .statedHash, flags: [.statedHash]) {
      $0.request.statedHash = $0.noise
    },
  ]

  /// Bytes in place of the key identifier.
  private static let otherIdentifiers:
    KeyValuePairs<String, @Sendable (AttestationTrial) -> [UInt8]> = [
      "a random key identifier": { $0.noise },
      "the hash of the DER of the public key": {
        MintingDigest.sha256(CertificateMint.publicKeyInfo($0.world.key.point, .p256))
      },
      "the hash of x and y": { MintingDigest.sha256(Array($0.world.key.point.dropFirst())) },
      "the hash of the compressed point": {
        let point = $0.world.key.point
        return MintingDigest.sha256([2 | point[64] & 1] + point[1..<33])
      },
      "the hash of the leaf's subject": {
        MintingDigest.sha256(LeafMint.subject(keyID: $0.request.keyID))
      },
      "the key identifier of another device": { MintingDigest.sha256($0.world.otherKey.point) },
    ]

  @ListBuilder<Row>
  private static var keys: [Row] {
    otherIdentifiers.flatMap { name, id in
      [
        Row.invalid("\(name) in place of the key identifier", .keyID, .credentialID) {
          $0.request.keyID = id($0)
        },
        Row.invalid("\(name) as key identifier and credentialId", .keyID) {
          $0.request.keyID = id($0)
          $0.recipe.credentialID = $0.request.keyID
        },
      ]
    }
    [
      .invalid("a leaf of another key", .keyID, .publicKey) {
        $0.recipe.leafPoint = $0.world.otherKey.point
      },
      .valid(
        "a leaf whose subject names another key", .fact("The subject is not compared.", "facts.R16")
      ) {
        $0.recipe.leafSubject = $0.noise
      },
    ]
  }

  /// Bytes in place of the COSE key.
  private static let otherCOSEKeys: KeyValuePairs<String, @Sendable (AttestationTrial) -> [UInt8]> =
    [
      "the COSE key of another device": {
        AttestationMint.coseKey($0.world.otherKey.point, algorithm: -7)
      },
      "a COSE key that is not on the curve": {
        var point = $0.recipe.cosePoint
        point[64] ^= 1
        return AttestationMint.coseKey(point, algorithm: -7)
      },
      "a COSE key with x and y exchanged": {
        let point = $0.recipe.cosePoint
        return AttestationMint.coseKey([4] + point[33..<65] + point[1..<33], algorithm: -7)
      },
      "a COSE key for ES384": { AttestationMint.coseKey($0.recipe.cosePoint, algorithm: -35) },
      "a COSE key for EdDSA": { AttestationMint.coseKey($0.recipe.cosePoint, algorithm: -8) },
      "a COSE key of type OKP": { cose($0.recipe.cosePoint, kind: 1) },
      "a COSE key on P-384": { cose($0.recipe.cosePoint, curve: 2) },
      "a COSE key without an algorithm": { cose($0.recipe.cosePoint, algorithm: nil) },
      "an empty COSE key": { _ in [0xA0] },
      "a COSE key without y": { cose(Array($0.recipe.cosePoint.prefix(33))) },
      "a COSE key of zeros": { _ in cose([4] + [UInt8](repeating: 0, count: 64)) },
      "a compressed COSE key": {
        cose($0.recipe.cosePoint, y: [$0.recipe.cosePoint[64] & 1 == 1 ? 0xF5 : 0xF4])
      },
    ]

  @ListBuilder<Row>
  private static var coseKeys: [Row] {
    otherCOSEKeys.map { name, key in
      .acceptable(name, .publicKey, flags: [.coseKey]) { $0.recipe.rawCOSEKey = key($0) }
    }
    [
      .acceptable(
        "a COSE key in another order",
        .fact("RFC 8949, section 3.1: the order of a map has no meaning.", "R29"),
        flags: [.coseKey, .cborForm]
      ) {
        $0.recipe.rawCOSEKey = cose($0.recipe.cosePoint, isReversed: true)
      },
      .acceptable(
        "a COSE key with a further member",
        .fact("RFC 9052, section 7.1: a key can have further parameters.", "R10"), flags: [.coseKey]
      ) {
        $0.recipe.rawCOSEKey = cose(
          $0.recipe.cosePoint, last: [(CBORWriter.integer(2), CBORWriter.bytes([1]))])
      },
    ]
  }

  /// Returns a COSE key. Numbers that are nil and coordinates that `point` lacks are left out.
  private static func cose(
    _ point: [UInt8], kind: Int = 2, algorithm: Int? = -7, curve: Int = 1, y: [UInt8]? = nil,
    last: [BuildClaims.Pair] = [], isReversed: Bool = false
  ) -> [UInt8] {
    var pairs: [BuildClaims.Pair] = [(CBORWriter.integer(1), CBORWriter.integer(kind))]
    if let algorithm {
      pairs.append((CBORWriter.integer(3), CBORWriter.integer(algorithm)))
    }
    pairs.append((CBORWriter.integer(-1), CBORWriter.integer(curve)))
    pairs.append((CBORWriter.integer(-2), CBORWriter.bytes(Array(point[1..<33]))))
    if let y {
      pairs.append((CBORWriter.integer(-3), y))
    } else if point.count == 65 {
      pairs.append((CBORWriter.integer(-3), CBORWriter.bytes(Array(point[33..<65]))))
    }
    pairs += last
    return CBORWriter.map(isReversed ? pairs.reversed() : pairs)
  }

  @ListBuilder<Row>
  private static var appIDs: [Row] {
    [
      ("another app", SyntheticApp.stranger.id),
      ("the bundle identifier only", "com.example.synthetic.bank"),
      ("the App ID in capitals", "SYNTH00001.COM.EXAMPLE.SYNTHETIC.BANK"),
      ("the App ID and a space", "SYNTH00001.com.example.synthetic.bank "),
      ("the beginning of the App ID", "SYNTH00001.com.example.synthetic"), ("no App ID", ""),
      ("another team", "SYNTH00002.com.example.synthetic.bank"),
    ].map { name, id in
      .invalid("rpIdHash of \(name)", .appID) {
        $0.recipe.rpIDHash = MintingDigest.sha256(Array(id.utf8))
      }
    }
    [
      .invalid("rpIdHash of zeros", .appID) {
        $0.recipe.rpIDHash = [UInt8](repeating: 0, count: 32)
      },
      .invalid("another app in all places", .appID, .receipt) {
        $0.recipe.rpIDHash = SyntheticApp.stranger.rpIDHash
        $0.recipe.leafAppID = SyntheticApp.stranger.id
        $0.recipe.receipt.appID = SyntheticApp.stranger.id
      },
      .invalid("an App Clip, judged by the App ID of the clip", .clip, .receipt, flags: [.appClip])
      {
        $0.request.appID += ".Clip"
      },
      .valid(
        "an App Clip, judged by the App ID of its full app",
        .fact("An App Clip's token has the App ID of its full app.", "R11", "R41"),
        flags: [.appClip]),
      .valid(
        "another App ID in the leaf", .fact("The App ID in clear is not compared.", "facts.R20")
      ) {
        $0.recipe.leafAppID = SyntheticApp.stranger.id
      },
    ]
  }

  private static let counters: [Row] =
    ([
      1, 0x100, 0x0100_0000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF,
    ] as [UInt32]).map { counter in
      .invalid("counter \(counter)", .counter) { $0.recipe.counter = counter }
    }

  @ListBuilder<Row>
  private static var environments: [Row] {
    [
      (
        "the production aaguid on a development server", "appattest\0\0\0\0\0\0\0", true,
        "production"
      ),
      ("the development aaguid on a production server", "appattestdevelop", false, "sandbox"),
    ].map { name, aaguid, isDevelopment, environment in
      .invalid(name, .environment, on: VectorBase(isDevelopment: isDevelopment)) {
        $0.recipe.aaguid = Array(aaguid.utf8)
        $0.recipe.receipt.environment = environment
      }
    }
    [
      ("zeros", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
      ("a byte after appattest", "appattest\0\0\0\0\0\0\u{1}"),
      ("capitals", "APPATTEST\0\0\0\0\0\0\0"), ("spaces after appattest", "appattest       "),
      ("appattestsandbox", "appattestsandbox"),
      ("the letters in the other order", "polevedtsettappa"),
    ].map { name, aaguid in
      .invalid("an aaguid of \(name)", .environment) { $0.recipe.aaguid = Array(aaguid.utf8) }
    }
    [
      .invalid("a random aaguid", .environment) { $0.recipe.aaguid = Array($0.noise.prefix(16)) }
    ]
  }

  /// Bytes in place of credentialId.
  private static let otherCredentials:
    KeyValuePairs<String, @Sendable (AttestationTrial) -> [UInt8]> = [
      "a random credentialId": { $0.noise },
      "20 bytes of the key identifier": { Array($0.request.keyID.prefix(20)) },
      "the key identifier and another byte": { $0.request.keyID + [0] },
      "an empty credentialId": { _ in [] },
      "the credentialId of another device": { MintingDigest.sha256($0.world.otherKey.point) },
      "the public key as credentialId": { $0.recipe.leafPoint },
      "the key identifier as text": { TextCode.base64.encode($0.request.keyID) },
    ]

  private static let credentials: [Row] =
    otherCredentials.map { name, id in
      .invalid(name, .credentialID) { $0.recipe.credentialID = id($0) }
    }
}

extension AttestationTrial {
  /// Replaces the nonce by what `change` makes of the right one.
  fileprivate mutating func changeNonce(_ change: ([UInt8]) -> [UInt8]) {
    let data = AttestationMint.authenticatorData(recipe)
    recipe.nonce = .other(change(MintingDigest.sha256(data + recipe.clientDataHash)))
  }
}

extension ReceiptSignature {
  /// The form in a few words.
  fileprivate var words: String {
    switch self {
    case .content: "signed over the content"
    case .attributes: "signed over signed attributes"
    case .contentBesideAttributes: "signed over the content beside signed attributes"
    }
  }
}

extension System {
  /// Every system once.
  static let distinct = [iOS14Beta, iOS14, iOS16, iOS17, iOS18, iOS26, iOS27, macOS27]

  /// The name for people.
  var name: String {
    (isMac ? "macOS " : "iOS ") + version + (isBetaOf2020 ? " beta of August 2020" : "")
  }
}
