internal import Minting

/// The table of assertions. Each row changes one thing in an honest assertion.
enum AssertionVectors {
  typealias Row = VectorRow<AssertionTrial>
  typealias Group = VectorGroup<AssertionTrial>

  static let groups = [
    Group("Assertions of each operating system", systems), Group("Genuine forms", genuine),
    Group("Token and CBOR", malformed + forms), Group("Signature", signatures),
    Group("Form of the signature", signatureForms), Group("App ID", appIDs),
    Group("Counter", counters), Group("Build", builds),
  ]

  private static let systems: [Row] = System.distinct.map { system in
    .valid(
      "\(system.name)", .fact("An honest assertion.", "R24", "R26", "R27", "facts.R3"),
      on: VectorBase(system: system))
  }

  @ListBuilder<Row>
  private static var genuine: [Row] {
    [0x40].map { flags in
      .valid(
        "flags 0x\(String(flags, radix: 16)), without a map after byte 37",
        .fact("Flags do not control the parsing.", "R24", "facts.R6"), flags: [.genuine]
      ) { $0.flags = UInt8(flags) }
    }
    [0x40].map { flags in
      .valid(
        "flags 0x\(String(flags, radix: 16)), with a map after byte 37",
        .fact("Flags do not control the parsing.", "R24", "facts.R6"), flags: [.genuine],
        on: .phone27
      ) { $0.flags = UInt8(flags) }
    }
    [
      .valid("a low s", .fact("Both values of s are valid.", "R34", "facts.R4")) { $0.half = .low },
      .valid("a high s", .fact("Both values of s are valid.", "R34", "facts.R4"), flags: [.genuine])
      {
        $0.half = .high
      },
      .valid(
        "no map after byte 37 on iOS 27", .fact("The map can be missing.", "R24", "facts.R7"),
        on: .phone27
      ) {
        $0.claims = nil
      },
      .valid("an empty map after byte 37", .fact("Exactly one map or nothing.", "R24", "facts.R7"))
      {
        $0.rest = [0xA0]
      },
      .valid(
        "an unknown key in the map", .fact("Unknown keys are ignored.", "facts.R9"), on: .phone27
      ) {
        $0.claims?.last = [(CBORWriter.text("synthetic_future_01"), [0x82, 0xF5, 1])]
      },
      .valid(
        "a code hash at the top level of the token (iOS 18.5)",
        .fact("The member cdHash is outside the signature and is ignored.", "R39", "facts.R33"),
        flags: [.genuine], on: VectorBase(system: .iOS18)),
      .valid(
        "an unknown member of the token", .fact("Unknown keys are ignored.", "R24", "facts.R9")
      ) {
        $0.token = { $0.token(with: [(CBORWriter.text("note"), [0x01])]) }
      },
      .valid("empty client data", .fact("Client data are any bytes.", "R27")) {
        $0.request.clientData = []
      },
      .valid("client data that are not UTF-8", .fact("Client data are any bytes.", "R27")) {
        $0.request.clientData = [0xFF, 0xFE, 0x00] + $0.noise
      },
    ]
  }

  // MARK: CBOR

  /// Tokens in which a member is missing or has another type.
  private static let members: KeyValuePairs<String, @Sendable (Assertion) -> [(String, [UInt8])]> =
    [
      "no authenticatorData": { [("signature", CBORWriter.bytes($0.signature))] },
      "authenticatorData is text": { whole($0, data: CBORWriter.text("authenticatorData")) },
      "authenticatorData in an array": {
        whole($0, data: CBORWriter.array([CBORWriter.bytes($0.authenticatorData)]))
      },
      "authenticatorData is empty": { whole($0, data: [0x40]) },
      "a signature in an array": {
        whole($0, signature: CBORWriter.array([CBORWriter.bytes($0.signature)]))
      },
      "a signature that is null": { whole($0, signature: [0xF6]) },
      "names in capitals": { whole($0).map { ($0.uppercased(), $1) } },
      "authData in place of authenticatorData": {
        whole($0).map { ($0 == "signature" ? $0 : "authData", $1) }
      },
    ]

  @ListBuilder<Row>
  private static var malformed: [Row] {
    ([
      (0, "a byte after the token", .assertionCBOR),
      (1, "a token that was cut", .assertionCBOR),
      (2, "no signature", .assertionForm), (3, "authenticatorData of 36 bytes", .assertionForm),
      (6, "signature twice", .assertionDuplicate), (7, "a signature that is text", .assertionForm),
      (10, "a map of indefinite length without an end", .assertionCBOR),
      (11, "an array", .assertionForm),
    ] as [(Int, String, VectorReason)]).map { variant, name, reason in
      .invalid(
        name, reason,
        flags: reason.text == VectorReason.assertionDuplicate.text ? [.duplicateKey] : []
      ) { trial in
        let junk = trial.noise
        trial.token = { MalformedTokens.assertion($0, variant: variant, junk: junk) }
      }
    }
    [(8, "17 levels of arrays"), (9, "more than 4 KiB")].map { variant, name in
      .acceptable(name, .assertionLimit, flags: [.limit]) {
        $0.token = { MalformedTokens.assertion($0, variant: variant, junk: []) }
      }
    }
    ([
      ("no bytes", []), ("the number 0", [0x00]), ("null", [0xF6]), ("an empty map", [0xA0]),
      ("a reserved additional information", [0xBC]),
      ("a map longer than any token", [0xBB] + [UInt8](repeating: 0x7F, count: 8)),
      ("4,000 open arrays", [UInt8](repeating: 0x9F, count: 4_000)),
      ("4,000 tags", [UInt8](repeating: 0xC1, count: 4_000)),
    ] as [(name: String, bytes: [UInt8])]).map { name, bytes in
      .invalid(name, .assertionCBOR) { $0.token = { _ in bytes } }
    }
    members.map {
      name, members in
      .invalid(name, .assertionForm) {
        $0.token = { CBORWriter.map(members($0).map { (CBORWriter.text($0), $1) }) }
      }
    }
    [
      .invalid("the map in an array", .assertionForm) {
        $0.token = { CBORWriter.array([$0.token]) }
      },
      .invalid("the base64 of the token", .assertionCBOR) {
        $0.token = { TextCode.base64.encode($0.token) }
      },
      .invalid("names that are byte strings", .assertionForm) {
        $0.token = { CBORWriter.map(whole($0).map { (CBORWriter.bytes(Array($0.utf8)), $1) }) }
      },
    ]
  }

  private static func whole(
    _ assertion: Assertion, signature: [UInt8]? = nil, data: [UInt8]? = nil
  ) -> [(String, [UInt8])] {
    [
      ("signature", signature ?? CBORWriter.bytes(assertion.signature)),
      ("authenticatorData", data ?? CBORWriter.bytes(assertion.authenticatorData)),
    ]
  }

  /// The same token in other bytes.
  private static let respellings: KeyValuePairs<String, @Sendable (Assertion) -> [UInt8]> = [
    "the members in another order": { assertion in
      CBORWriter.map(whole(assertion).reversed().map { (CBORWriter.text($0), $1) })
    },
    "lengths of eight bytes": { assertion in
      CBORWriter.map(
        whole(
          assertion, signature: CBORWriter.bytes(assertion.signature, .longest),
          data: CBORWriter.bytes(assertion.authenticatorData, .longest)
        ).map { (CBORWriter.text($0, .longest), $1) }, .longest)
    },
    "a map of indefinite length, values in pieces": { assertion in
      CBORWriter.openMap([
        (
          Assertion.authenticatorDataKey,
          CBORWriter.chunkedBytes(assertion.authenticatorData, chunk: 10)
        ),
        (Assertion.signatureKey, CBORWriter.chunkedBytes(assertion.signature, chunk: 33)),
      ])
    },
    "names in pieces": { assertion in
      CBORWriter.openMap(whole(assertion).map { (CBORWriter.chunkedText($0, chunk: 4), $1) })
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
        "a token of exactly 4 KiB", .fact("The longest that attest-audit reads.", "R32"),
        flags: [.limit]
      ) {
        $0.token = { assertion in
          let size = 4_096 - assertion.token(with: [(CBORWriter.text("note"), [0x59, 0, 0])]).count
          return assertion.token(with: [
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
      .acceptable(
        "a map after byte 37 in another form",
        .fact("RFC 8949, section 3.2: indefinite lengths.", "R29"), flags: [.cborForm], on: .phone27
      ) {
        $0.claims?.write = { CBORWriter.openMap($0.reversed()) }
      },
    ]
    AttestationVectors.oddMaps.map { name, bytes in
      .acceptable("\(name) after byte 37", .assertionForm, flags: [.unread]) { $0.rest = bytes }
    }
  }

  // MARK: Signature

  private static let signatures: [Row] = [
    .invalid("a bit of s changed", .signature) { $0.signed = { $0.s[31] ^= 1 } },
    .invalid("a bit of r changed", .signature) { $0.signed = { $0.r[31] ^= 1 } },
    .invalid("another key", .signature) {
      $0.device = $0.world.device(VectorBase(), $0.world.otherKey)
    },
    .invalid("the nonce signed as if it were a digest", .signature) { $0.signsNonce = true },
    .invalid("client data changed on the way", .signature) {
      $0.signedHash = MintingDigest.sha256($0.request.clientData)
      $0.request.clientData.append(0x20)
    },
    .invalid("client data that were not hashed", .signature) {
      $0.signedHash = $0.request.clientData
    },
    .invalid("client data that were hashed twice", .signature) {
      $0.signedHash = MintingDigest.sha256(MintingDigest.sha256($0.request.clientData))
    },
    .invalid("no client data", .signature) { $0.signedHash = [] },
    .invalid("the counter changed after signing", .signature) {
      $0.signed = { $0.authenticatorData[36] = 9 }
    },
    .invalid("a flag changed after signing", .signature) {
      $0.signed = { $0.authenticatorData[32] ^= 1 }
    },
    .invalid("a map added after signing", .signature) {
      $0.signed = { $0.authenticatorData += [0xA0] }
    },
    .invalid("a map removed after signing", .signature, on: .phone27) {
      $0.signed = { $0.authenticatorData = Array($0.authenticatorData.prefix(37)) }
    },
    .invalid("the category changed after signing", .signature, on: .phone27) {
      $0.signed = { $0.authenticatorData[$0.authenticatorData.count - 4] = 1 }
    },
    .invalid("the app changed after signing", .signature) {
      let app = $0.rpIDHash
      $0.rpIDHash = SyntheticApp.stranger.rpIDHash
      $0.signed = { $0.authenticatorData.replaceSubrange(0..<32, with: app) }
    },
    .invalid("an earlier signature beside a new counter", .signature) {
      $0.counter = 6
      $0.signed = { $0.authenticatorData[36] = 7 }
    },
    .invalid("the hash that the client states", .signature, .statedHash, flags: [.statedHash]) {
      $0.signedHash = $0.noise
      $0.request.statedHash = $0.noise
    },
    .acceptable("a false stated hash beside right client data", .statedHash, flags: [.statedHash]) {
      $0.request.statedHash = $0.noise
    },
  ]

  private static let zeros = [UInt8](repeating: 0, count: 32)
  /// The order of P-256.
  private static let order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
  ]

  /// Returns other encodings of a signature.
  private static func encodings(_ r: [UInt8], _ s: [UInt8]) -> KeyValuePairs<String, [UInt8]> {
    let first = DERWriter.integer(r)
    let second = DERWriter.integer(s)
    let whole = DERWriter.signature(r: r, s: s)
    let zero: [UInt8] = [0]
    return [
      "an empty signature": [], "r and s without DER": r + s,
      "r is 0": DERWriter.signature(r: zeros, s: s), "s is 0": DERWriter.signature(r: r, s: zeros),
      "r and s are 0": DERWriter.signature(r: zeros, s: zeros),
      "r and s are 1": DERWriter.signature(r: [1], s: [1]),
      "r is the order": DERWriter.signature(r: order, s: s),
      "s is the order": DERWriter.signature(r: r, s: order),
      "r and s exchanged": DERWriter.signature(r: s, s: r),
      "a byte after the signature": whole + zero,
      "a byte inside the sequence": DERWriter.sequence([first, second, zero]),
      "a third integer": DERWriter.sequence([first, second, first]),
      "one integer": DERWriter.sequence([first]),
      "two zero bytes before r": DERWriter.sequence([
        DERWriter.value(0x02, zero + zero + r), second,
      ]),
      "two zero bytes before s": DERWriter.sequence([first, DERWriter.value(0x02, zero + zero + s)]
      ),
      "a length in two bytes": [0x30, 0x81] + whole.dropFirst(),
      "an indefinite length": DERWriter.open(0x30, [first, second]),
      "a length that is too short": [0x30, whole[1] - 1] + whole.dropFirst(2),
      "a set in place of the sequence": DERWriter.set([first, second]),
      "octet strings in place of integers": DERWriter.sequence([
        DERWriter.octets(r), DERWriter.octets(s),
      ]),
      "r is negative": DERWriter.sequence([DERWriter.value(0x02, [0xFF] + r), second]),
      "an integer without bytes": DERWriter.sequence([first, [0x02, 0x00]]),
      "the signature in a bit string": DERWriter.bits(whole),
    ]
  }

  private static let signatureForms: [Row] = encodings([1], [1]).map(\.key).enumerated().map {
    place, name in
    .invalid(name, .signatureForm, flags: [.signatureForm]) {
      $0.encode { encodings($0, $1)[place].value }
    }
  }

  // MARK: App, counter, build

  @ListBuilder<Row>
  private static var appIDs: [Row] {
    [
      ("another app", SyntheticApp.stranger.id),
      ("the bundle identifier only", "com.example.synthetic.bank"),
      ("the App ID in capitals", "SYNTH00001.COM.EXAMPLE.SYNTHETIC.BANK"), ("no App ID", ""),
      ("another team", "SYNTH00002.com.example.synthetic.bank"),
    ].map { name, id in
      .invalid("rpIdHash of \(name)", .assertedAppID) {
        $0.rpIDHash = MintingDigest.sha256(Array(id.utf8))
      }
    }
    [
      .invalid("rpIdHash of zeros", .assertedAppID) { $0.rpIDHash = zeros },
      .invalid("an App Clip, judged by the App ID of the clip", .assertedClip, flags: [.appClip]) {
        $0.request.appID += ".Clip"
      },
      .valid(
        "an App Clip, judged by the App ID of its full app",
        .fact("An App Clip's token has the App ID of its full app.", "R26", "R41"),
        flags: [.appClip]),
    ]
  }

  @ListBuilder<Row>
  private static var counters: [Row] {
    ([
      (0, 1), (0, 2), (6, 7), (6, 1_000), (0x7FFF_FFFF, 0x8000_0000), (0xFFFF_FFFE, 0xFFFF_FFFF),
      (0xFF, 0x100),
    ] as [(previous: UInt32, counter: UInt32)]).map { previous, counter in
      .valid(
        "counter \(counter) after \(previous)",
        .fact(
          "The counter is greater. It has 32 bits and no sign; gaps are normal.", "detection.R17",
          "facts.R27", "facts.R28")
      ) {
        $0.request.previousCounter = previous
        $0.counter = counter
      }
    }
    ([
      (6, 6), (0xFFFF_FFFF, 0xFFFF_FFFF), (6, 5), (6, 1), (0x100, 0xFF), (0x8000_0000, 0x7FFF_FFFF),
      (0xFFFF_FFFF, 1), (6, 0), (0, 0),
    ] as [(previous: UInt32, counter: UInt32)]).map { previous, counter in
      .invalid(
        "counter \(counter) after \(previous)",
        counter == previous && counter > 0 ? .counterEqual : .counterLow
      ) {
        $0.request.previousCounter = previous
        $0.counter = counter
      }
    }
  }

  @ListBuilder<Row>
  private static var builds: [Row] {
    BuildAttempt.all.map { attempt in
      .attempt(attempt, .assertedCategory, .assertedCode, .assertionForm) {
        attempt.edit(&$0.claims!)
      }
    }
    BuildPolicyCase.all.map { policyCase in
      .either(
        policyCase.isValid, policyCase.name,
        (policyCase.isCode ? VectorReason.assertedCode : .assertedCategory).adding(policyCase.rule),
        flags: policyCase.flags, on: policyCase.base
      ) { policyCase.edit(&$0.request.policy, &$0.claims) }
    }
  }
}
