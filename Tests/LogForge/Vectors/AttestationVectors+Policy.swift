internal import Minting

extension AttestationVectors {
  /// Octets in place of Apple's value.
  private static let otherAccess: KeyValuePairs<String, @Sendable ([UInt8]) -> [UInt8]?> = [
    "the value of an iPhone": { _ in System.phoneAccessControl },
    "no access control": { _ in nil },
    "a byte after Apple's value": { $0 + [0] },
    "Apple's value without its last byte": { $0.dropLast() },
    "a right of another name": { $0.map { $0 == 0x6B ? 0x6C : $0 } },
    "an empty value": { _ in [] },
  ]

  @ListBuilder<Row>
  static var accessControls: [Row] {
    otherAccess.map { name, change in
      .invalid("a Mac with \(name)", .accessControl, flags: [.accessControl], on: .mac) {
        $0.recipe.accessControl = change(System.macAccessControl)
      }
    }
    [(13, "iphoneos", "[4] of …100.8.5"), (10, "macosx", "[1026] of …100.8.7")].map {
      key, platform, name in
      .invalid(
        "a Mac by \(name) only, with other access control", .accessControl, flags: [.accessControl],
        on: .mac
      ) {
        $0.recipe.system.otherMarks = (key, platform)
        $0.recipe.accessControl = System.phoneAccessControl
      }
    }
    [
      .valid(
        "a Mac with other access control that the policy ignores",
        .fact("policy.macOSAccessControl is ignore.", "R36"), flags: [.accessControl], on: .mac
      ) {
        $0.request.policy.macOSAccessControl = "ignore"
        $0.recipe.accessControl = System.phoneAccessControl
      },
      .valid(
        "an iPhone with the access control of a Mac",
        .fact("Only Macs are compared.", "R36", "facts.R37"),
        on: .phone27
      ) { $0.recipe.accessControl = System.macAccessControl },
    ]
  }

  @ListBuilder<Row>
  static var builds: [Row] {
    BuildAttempt.all.map { attempt in
      .attempt(attempt, .category, .code, .attestationForm) { attempt.edit(&$0.claims!) }
    }
    BuildPolicyCase.all.map { policyCase in
      .either(
        policyCase.isValid, policyCase.name,
        (policyCase.isCode ? VectorReason.code : .category).adding(policyCase.rule),
        flags: policyCase.flags, on: policyCase.base
      ) { policyCase.edit(&$0.request.policy, &$0.claims) }
    }
  }

  @ListBuilder<Row>
  static var receipts: [Row] {
    receiptFaults.map { name, edit in
      .invalid(name, .receipt, flags: [.receipt], edit)
    }
    [
      .valid(
        "no receipt, which the policy ignores", .fact("policy.receipts is ignore.", "R19"),
        flags: [.receipt]
      ) {
        $0.request.policy.receipts = "ignore"
        $0.parts = { $0.hasReceipt = false }
      },
      .valid(
        "a foreign receipt that the policy ignores", .fact("policy.receipts is ignore.", "R19"),
        flags: [.receipt]
      ) {
        $0.request.policy.receipts = "ignore"
        $0.recipe.rawReceipt = $0.noise
      },
      .valid(
        "a changed signature that the policy does not verify",
        .fact("policy.receipts is parse.", "R19"), flags: [.receipt]
      ) {
        $0.request.policy.receipts = "parse"
        $0.recipe.receipt.tamperedSignature = true
      },
      .invalid("another app's receipt whose fields are compared", .receipt, flags: [.receipt]) {
        $0.request.policy.receipts = "parse"
        $0.recipe.receipt.appID = SyntheticApp.stranger.id
      },
      .invalid("no receipt for a policy that compares fields", .receipt, flags: [.receipt]) {
        $0.request.policy.receipts = "parse"
        $0.parts = { $0.hasReceipt = false }
      },
      .valid(
        "a receipt without an environment", .fact("Field 7 is compared if it is present.", "R19"),
        flags: [.receipt]
      ) {
        $0.recipe.receipt.environment = nil
      },
      .valid(
        "a receipt with a time before which it is not valid",
        .fact("Field 19 is not compared.", "facts.R25"), flags: [.receipt]
      ) {
        $0.recipe.receipt.notBefore = $0.recipe.receipt.created
      },
    ]
  }

  private static let receiptFaults: KeyValuePairs<String, Row.Edit> = [
    "a receipt of another app": { $0.recipe.receipt.appID = SyntheticApp.stranger.id },
    "a receipt of another clientDataHash": { $0.recipe.receipt.clientHash = $0.noise },
    "a receipt of another certificate": { $0.recipe.receipt.certificate = $0.recipe.chain[0] },
    "a receipt of type RECEIPT": {
      $0.recipe.receipt.type = "RECEIPT"
      $0.recipe.receipt.riskMetric = "4"
    },
    "a receipt of no type": { $0.recipe.receipt.type = "" },
    "a receipt of the other environment": { $0.recipe.receipt.environment = "sandbox" },
    "a receipt with an unknown environment": { $0.recipe.receipt.environment = "staging" },
    "a creation time that is not a time": { $0.recipe.receipt.created = "yesterday" },
    "no creation time": { $0.recipe.receipt.created = nil },
    "a receipt with a changed signature": { $0.recipe.receipt.tamperedSignature = true },
    "a receipt with changed content": { $0.recipe.receipt.tamperedContent = true },
    "a receipt signed under another root of the same name": {
      $0.recipe.receipt.signer = $0.world.foreignSigner
    },
    "a receipt of a signer that has expired": { $0.recipe.receipt.signer = $0.world.expiredSigner },
    "a receipt of a signer without Apple's marker": {
      $0.recipe.receipt.signer = $0.world.unmarkedSigners[0]
    },
    "a receipt of a signer with the marker of authorities": {
      $0.recipe.receipt.signer = $0.world.unmarkedSigners[1]
    },
    "a receipt of a signer with a similar marker": {
      $0.recipe.receipt.signer = $0.world.unmarkedSigners[2]
    },
    "a receipt signed by the attestation authority": {
      $0.recipe.receipt.signer = $0.world.authority.intermediate
    },
    "a receipt of random bytes": { $0.recipe.rawReceipt = $0.noise },
    "an empty receipt": { $0.recipe.rawReceipt = [] },
    "no receipt": { $0.parts = { $0.hasReceipt = false } },
  ]

  @ListBuilder<Row>
  static var signedTimes: [Row] {
    ([
      ("5 minutes before", true, 300_000), ("5 minutes and 1 ms before", false, 300_001),
      ("an hour before", false, 3_600_000), ("a day after", true, -86_400_000),
      ("a day and 1 ms after", false, -86_400_001), ("five days after", false, -432_000_000),
    ] as [(name: String, isValid: Bool, distance: Int64)]).flatMap { name, isValid, distance in
      [
        Row.either(
          isValid, "\(name) the receipt's creation time", .signedTime,
          flags: [.signedTime, .receipt]
        ) {
          $0.sign(at: $0.request.time + distance)
        },
        Row.either(isValid, "\(name) the leaf's serial number", .signedTime, flags: [.signedTime]) {
          $0.request.policy.receipts = "ignore"
          $0.sign(at: $0.request.time + distance)
        },
      ]
    }
    [
      .valid(
        "two days after, which the policy allows",
        .fact("policy.attestationMaxAgeSeconds is three days.", "R17"), flags: [.signedTime]
      ) {
        $0.request.policy.attestationMaxAge = 3 * 86_400
        $0.sign(at: $0.request.time - 2 * 86_400_000)
      },
      .valid(
        "no signed time",
        .fact("The serial number is not a time, and the receipt is ignored.", "R43", "facts.R35"),
        flags: [.signedTime]
      ) {
        $0.request.policy.receipts = "ignore"
        $0.sign(at: $0.request.time - 2 * 86_400_000)
        $0.recipe.leafSerial = Array($0.noise.prefix(16))
      },
    ]
  }
}

/// A policy on builds, and the build that it is applied to.
struct BuildPolicyCase: Sendable {
  let name: String
  let isValid: Bool
  var isCode = false
  var flags: [VectorFlag] = [.bundleVersion]
  var base = VectorBase.phone27
  /// A further rule.
  var rule: String?
  let edit: @Sendable (inout VectorPolicy, inout BuildClaims?) -> Void

  /// Versions in a range and outside it (`verification.R40`).
  private static let versions: [(range: String, version: String, isInside: Bool)] = [
    (">=7.10", "7.10", true), (">=7.10", "7.9", false), (">=7.10", "8", true),
    ("<8", "7.99.1", true),
    ("<8", "8.0", false), (">=7.1 <8", "7.1.0", true), (">1", "1.0", false), (">1", "1a", true),
    ("7.1", "7.1", true), ("7.1", "7.1.0", false), ("7.1", "7.1 ", false),
  ]

  private static let required: [(value: String, isCode: Bool, flag: VectorFlag)] = [
    ("category", false, .category), ("bundleVersion", false, .bundleVersion),
    ("codeHash", true, .codeHash),
  ]

  @ListBuilder<BuildPolicyCase>
  static var all: [BuildPolicyCase] {
    versions.map { range, version, isInside in
      BuildPolicyCase(
        name: "version \(version.debugDescription) for \(range)", isValid: isInside, rule: "R40"
      ) {
        policy, claims in
        policy.bundleVersions = [range]
        claims?.version = CBORWriter.text(version)
      }
    }
    required.flatMap { value, isCode, flag in
      [
        BuildPolicyCase(
          name: "a required \(value) on iOS 17", isValid: false, isCode: isCode, flags: [flag],
          base: .phone
        ) { policy, _ in policy.requires = [value] },
        BuildPolicyCase(name: "a required \(value) on iOS 27", isValid: true, flags: [flag]) {
          policy, _ in
          policy.requires = [value]
        },
      ]
    }
    [
      BuildPolicyCase(
        name: "a required bundleVersion on a Mac", isValid: false, base: .mac
      ) { policy, _ in policy.requires = ["bundleVersion"] },
      BuildPolicyCase(
        name: "a listed version on a Mac, whose tokens have none", isValid: true, base: .mac
      ) { policy, _ in policy.bundleVersions = ["7.11"] },
      BuildPolicyCase(
        name: "a listed category on iOS 17, whose tokens have none", isValid: true,
        flags: [.category],
        base: .phone
      ) { policy, _ in policy.categories = ["appStore"] },
      BuildPolicyCase(
        name: "a listed code hash on iOS 17, whose tokens have none", isValid: true,
        flags: [.codeHash],
        base: .phone
      ) { policy, _ in policy.codeHashes = [BuildClaims.honest] },
      BuildPolicyCase(
        name: "a code hash of which 20 bytes are listed", isValid: true, flags: [.codeHash]
      ) { policy, _ in policy.codeHashes = [Array(BuildClaims.honest.prefix(20))] },
      BuildPolicyCase(
        name: "another code hash of which 20 bytes are listed", isValid: false, isCode: true,
        flags: [.codeHash]
      ) { policy, _ in policy.codeHashes = [Array(BuildClaims.modified.prefix(20))] },
      BuildPolicyCase(
        name: "a modified build for an app that lists none", isValid: true, flags: [.codeHash]
      ) { _, claims in claims?.hash = CBORWriter.bytes(BuildClaims.modified) },
      BuildPolicyCase(
        name: "the allowed build of an app that requires nothing", isValid: true,
        flags: [.category, .bundleVersion, .codeHash], base: .game
      ) { _, _ in },
      BuildPolicyCase(
        name: "development for an app of the App Store", isValid: false, flags: [.category],
        base: .game
      ) { _, claims in claims?.category = CBORWriter.bytes([3, 0, 0, 0]) },
    ]
    [0, 7, 8, 9].map { number in
      BuildPolicyCase(
        name: "category \(number) for an app that lists none", isValid: false, flags: [.category]
      ) { _, claims in claims?.category = CBORWriter.bytes([UInt8(number), 0, 0, 0]) }
    }
  }
}

extension VectorRow {
  /// Returns the row of an attempt to get a build past ``SyntheticApp/vault``.
  static func attempt(
    _ attempt: BuildAttempt, _ category: VectorReason, _ code: VectorReason, _ form: VectorReason,
    _ edit: @escaping Edit
  ) -> Self {
    let name = "a build: \(attempt.name)"
    let isDuplicate = ["again", "before", "twice"].contains { attempt.name.contains($0) }
    switch attempt.finding {
    case .category:
      return .invalid(name, category, flags: [.category, .bundleVersion], on: .vault, edit)
    case .code: return .invalid(name, code, flags: [.codeHash], on: .vault, edit)
    case .malformed where isDuplicate:
      return .invalid(name, form, flags: [.codeHash, .duplicateKey], on: .vault, edit)
    case .malformed:
      return .acceptable(name, form, flags: [.codeHash, .unread], on: .vault, edit)
    case nil:
      let fact = VectorReason.fact("The build meets the policy.", category.rules + code.rules)
      return .valid(name, fact, flags: [.category, .bundleVersion, .codeHash], on: .vault, edit)
    }
  }
}
