package import AppAttest

/// An app whose tokens occur in a log.
package struct FoundApp {
  /// The numbers of the server's decisions on requests.
  package struct Decisions {
    package var accepted = 0
    package var rejected = 0
    /// The number of requests whose decision the log does not give.
    private var unknown = 0

    /// Returns whether more requests were rejected than accepted.
    ///
    /// - Parameter saysAccepted: True if the log shows for any request that it was accepted. If it
    ///   does not, a few rejected requests say nothing about the others.
    func areMostlyRejections(saysAccepted: Bool) -> Bool {
      rejected > accepted && (saysAccepted || rejected > unknown)
    }

    /// Counts one decision.
    mutating func count(_ word: String?) {
      switch word {
      case "accepted": accepted += 1
      case "rejected": rejected += 1
      default: unknown += 1
      }
    }
  }

  package var id: String
  /// The numbers of attestations that verified, by environment.
  package var verified: [AttestEnvironment: Int] = [:]
  /// The number of all tokens of the app.
  package var tokens = 0
  /// The decisions on the requests with the tokens, as far as the log has them.
  var decisions = Decisions()
  /// The decisions on the attestations that verified, by environment.
  var verifiedDecisions: [AttestEnvironment: Decisions] = [:]
  /// True where the user named the app.
  package var isGiven = false

  /// Returns the reason why an environment of the app is left to the user, or nil if there is no
  /// reason to doubt it.
  func doubt(_ environment: AttestEnvironment) -> String? {
    let count = verified[environment, default: 0]
    let total = verified.values.reduce(0, +)
    let decisions = verifiedDecisions[environment, default: Decisions()]
    if count * AppSearch.leastPart < total {
      return "\(count) of \(total) attestations that verified, fewer than 5 %"
    }
    guard decisions.areMostlyRejections(saysAccepted: self.decisions.accepted > 0) else {
      return nil
    }
    return "\(decisions.rejected) of its \(count) attestations that verified were rejected"
  }
}

/// An app whose tokens occur in a log that does not have its App ID.
package struct UnnamedApp {
  /// SHA-256 of the App ID.
  package var rpIDHash: Digest256
  package var tokens: Int
  var decisions = FoundApp.Decisions()
}

/// A search for the apps of a log: App IDs whose SHA-256 is the rpIdHash of tokens.
package struct AppSearch {
  /// The largest number of attestations that are verified.
  private static let verifications = 400
  /// The largest number of lines whose texts are tried as App IDs, in all and for one app.
  private static let (lineLimit, lineLimitOfApp) = (2000, 200)
  /// The length of the longest App ID, in bytes.
  private static let textLimit = 255
  /// The inverse of the share below which an app, or an environment of one, is left to the user.
  static let leastPart = 20

  package private(set) var apps: [FoundApp] = []
  /// The apps whose App ID is not in the log.
  package private(set) var unnamed: [UnnamedApp] = []
  /// The numbers of attestations that were looked at, and of those that verified.
  package private(set) var verifications = (tried: 0, valid: 0)
  /// The number of all tokens that were looked at.
  private var total = 0
  /// The apps' indexes, by the SHA-256 of their App IDs.
  private var indexes: [Digest256: Int] = [:]
  /// The reason why the first attestation that failed did so.
  package private(set) var firstFailure: String?

  /// Finds the apps of tokens.
  ///
  /// - Parameters:
  ///   - given: App IDs that the user named.
  ///   - isAppID: Returns whether a text can be an App ID.
  init(
    _ tokens: [FoundToken], given: [String], isAppID: (String) -> Bool,
    line: (_ token: Int) -> SampleLine
  ) {
    total = tokens.count
    var hashes: [Digest256: Int] = [:]
    for token in tokens { hashes[token.rpIDHash, default: 0] += 1 }
    var names: [Digest256: String] = [:]
    for id in given { names[.sha256(Array(id.utf8).span)] = id }
    for token in tokens {
      guard let id = token.attestation?.appID, names[token.rpIDHash] == nil else { continue }
      if Digest256.sha256(Array(id.utf8).span) == token.rpIDHash { names[token.rpIDHash] = id }
    }
    var looked: [Digest256: Int] = [:]
    var left = Self.lineLimit
    for (index, token) in tokens.enumerated() where names[token.rpIDHash] == nil {
      guard left > 0 else { break }
      guard looked[token.rpIDHash, default: 0] < Self.lineLimitOfApp else { continue }
      looked[token.rpIDHash, default: 0] += 1
      left -= 1
      if let value = line(index).values.first(where: { Self.isID($0, of: token) }) {
        names[token.rpIDHash] = value.string
      }
    }
    for (hash, count) in hashes {
      if let id = names[hash], isAppID(id), YAMLText.isPlainLine(id) {
        apps.append(FoundApp(id: id, tokens: count, isGiven: given.contains(id)))
      } else {
        unnamed.append(UnnamedApp(rpIDHash: hash, tokens: count))
      }
    }
    unnamed.sort { ($1.tokens, $0.rpIDHash) < ($0.tokens, $1.rpIDHash) }
    for id in given where !apps.contains(where: { $0.id == id }) {
      apps.append(FoundApp(id: id, isGiven: true))
    }
    apps.sort { ($1.tokens, $0.id) < ($0.tokens, $1.id) }
    for (index, app) in apps.enumerated() {
      indexes[.sha256(Array(app.id.utf8).span)] = index
    }
  }

  /// Returns the field `appId` of lines with tokens, or nil if none name their app.
  static func field(_ tokens: [FoundToken], _ sample: LogSample) -> FoundField? {
    var pointers: [Int: Int] = [:]
    for token in tokens.prefix(lineLimit) {
      for value in sample.lines[token.line].values where isID(value, of: token) {
        pointers[value.pointer, default: 0] += 1
      }
    }
    return pointers.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { pointer, count in
      FoundField(
        name: "appId", form: .pointers([pointer]), what: "App IDs, whose SHA-256 the tokens hold",
        sureness: .certain, lines: count, of: min(tokens.count, lineLimit))
    }
  }

  /// Returns whether a text is the App ID of a token's app.
  private static func isID(_ value: SampleValue, of token: FoundToken) -> Bool {
    value.kind == .string && (3...textLimit).contains(value.text.count)
      && value.text.contains(UInt8(ascii: "."))
      && Digest256.sha256(Array(value.text).span) == token.rpIDHash
  }

  /// Counts the server's decisions on the requests of each app.
  mutating func count(_ tokens: [FoundToken], _ sample: LogSample, decision: FoundField) {
    let places = Dictionary(
      uniqueKeysWithValues: unnamed.enumerated().map { ($0.element.rpIDHash, $0.offset) })
    for token in tokens {
      let word = decision.word(in: sample.lines[token.line])
      if let index = indexes[token.rpIDHash] {
        apps[index].decisions.count(word)
      } else if let place = places[token.rpIDHash] {
        unnamed[place].decisions.count(word)
      }
    }
  }

  /// Returns the reason why an app is left to the user, or nil if there is no reason to doubt it.
  package func doubt(_ app: FoundApp) -> String? {
    if app.isGiven { return nil }
    if app.tokens * Self.leastPart < total { return "fewer than 5 %: " + counts(app) }
    let saysAccepted =
      apps.contains { $0.decisions.accepted > 0 } || unnamed.contains { $0.decisions.accepted > 0 }
    return app.decisions.areMostlyRejections(saysAccepted: saysAccepted)
      ? "mostly rejected: " + counts(app) : nil
  }

  /// Returns a text on the number of the app's tokens, and the decisions on them.
  package func counts(_ app: FoundApp) -> String { counts(app.tokens, app.decisions) }

  /// Returns the same text for an app without a name.
  package func counts(_ app: UnnamedApp) -> String { counts(app.tokens, app.decisions) }

  private func counts(_ tokens: Int, _ decisions: FoundApp.Decisions) -> String {
    let decided = decisions.accepted + decisions.rejected
    return "\(tokens) of \(total) \(total == 1 ? "token" : "tokens")"
      + (decided > 0
        ? ", \(decisions.accepted) accepted, \(decisions.rejected) rejected" : "")
  }

  /// Verifies attestations, so that environments come from those that chain to Apple's root or the
  /// given anchors.
  mutating func verify(
    _ tokens: [FoundToken], anchors: [[UInt8]], facts: (FoundToken) -> AttestationFacts?
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
          apps[verified.appIndex].verifiedDecisions[
            verified.environment, default: FoundApp.Decisions()
          ].count(facts.decision)
        } else if firstFailure == nil {
          firstFailure = judged.failures.first?.detail
        }
      }
    }
  }
}

/// The facts from its line that the verification of an attestation needs.
struct AttestationFacts {
  var bytes: [UInt8]
  var key: Digest256
  var hash: [UInt8]
  /// The time in milliseconds since 1970.
  var time: Int64
  /// The decision, `accepted` or `rejected`, or nil if the line does not give one.
  var decision: String?
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
