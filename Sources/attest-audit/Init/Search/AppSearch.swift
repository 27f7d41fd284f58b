import AppAttest
import AuditSettings

/// An app whose attestations stand in a log.
struct FoundApp {
  var id: String
  /// Attestations that verified, by environment.
  var verified: [AttestEnvironment: Int] = [:]
  /// All tokens of the app.
  var tokens = 0
  /// Whether the user named it.
  var isGiven = false
}

/// Finds the apps of a log: App IDs whose SHA-256 is the rpIdHash of tokens.
struct AppSearch {
  /// The most attestations that are verified.
  private static let verifications = 400
  /// The most lines whose texts are taken for App IDs.
  private static let lineLimit = 2000
  /// The longest App ID.
  private static let textLimit = 255

  private(set) var apps: [FoundApp] = []
  /// Where lines name their app.
  private(set) var field: FoundField?
  /// Tokens whose App ID nobody says.
  private(set) var nameless = 0
  /// Attestations that were looked at, and those that verified.
  private(set) var verifications = (tried: 0, valid: 0)
  /// Why the first attestation that failed did.
  private(set) var firstFailure: String?

  init(_ tokens: [FoundToken], _ sample: LogSample, given: [String]) {
    var hashes: [Digest256: Int] = [:]
    for token in tokens { hashes[token.rpIDHash, default: 0] += 1 }
    var names: [Digest256: String] = [:]
    for id in given { names[.sha256(Array(id.utf8).span)] = id }
    for token in tokens {
      guard let id = token.attestation?.appID, names[token.rpIDHash] == nil else { continue }
      if Digest256.sha256(Array(id.utf8).span) == token.rpIDHash { names[token.rpIDHash] = id }
    }
    var pointers: [Int: Int] = [:]
    for token in tokens.prefix(Self.lineLimit) {
      for value in sample.lines[token.line].values
      where value.kind == .string && (3...Self.textLimit).contains(value.text.count)
        && value.text.contains(UInt8(ascii: "."))
      {
        guard Digest256.sha256(Array(value.text).span) == token.rpIDHash else { continue }
        pointers[value.pointer, default: 0] += 1
        names[token.rpIDHash] = value.string
      }
    }
    for (hash, count) in hashes {
      if let id = names[hash], SettingFormat<String>.appID.parse(id) != nil,
        YAMLText.isPlainLine(id)
      {
        apps.append(FoundApp(id: id, tokens: count, isGiven: given.contains(id)))
      } else {
        nameless += count
      }
    }
    for id in given where !apps.contains(where: { $0.id == id }) {
      apps.append(FoundApp(id: id, isGiven: true))
    }
    apps.sort { ($1.tokens, $0.id) < ($0.tokens, $1.id) }
    if let (pointer, count) = pointers.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) {
      field = FoundField(
        name: "appId", form: .pointers([pointer]), what: "App IDs, whose SHA-256 the tokens hold",
        sureness: .certain, lines: count, of: min(tokens.count, Self.lineLimit))
    }
  }

  /// Verifies attestations, so that environments come from those that Apple's root, or the given
  /// anchors, stand behind.
  mutating func verify(
    _ tokens: [FoundToken], anchors: [[UInt8]],
    facts: (FoundToken) -> (bytes: [UInt8], key: Digest256, hash: [UInt8], time: Int64)?
  ) {
    let policies = apps.map {
      AppPolicy(id: $0.id, environments: Set(AttestEnvironment.allCases))
    }
    guard
      let verifier = try? AttestationVerifier(
        apps: ConfiguredApps(policies), trustAnchors: anchors, receiptAnchors: [],
        receipts: .ignore)
    else { return }
    for token in tokens.prefix(Self.verifications) {
      guard let facts = facts(token) else { continue }
      verifications.tried += 1
      switch verifier.judge(
        token: facts.bytes.span, keyIdentifier: facts.key, clientDataHash: facts.hash.span,
        appID: nil, time: facts.time)
      {
      case .malformed: continue
      case .judged(let judged):
        if let verified = judged.verified {
          verifications.valid += 1
          apps[verified.appIndex].verified[verified.environment, default: 0] += 1
        } else if firstFailure == nil {
          firstFailure = judged.failures.first?.detail
        }
      }
    }
  }
}

extension FoundToken {
  /// SHA-256 of the App ID.
  var rpIDHash: Digest256 {
    switch object {
    case .attestation(let attestation): attestation.rpIDHash
    case .assertion(let assertion): assertion.assertion.rpIDHash
    }
  }
}
