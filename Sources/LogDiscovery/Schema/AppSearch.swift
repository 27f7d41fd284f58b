package import AppAttest
import AuditLog
import Basics

/// An app whose tokens occur in a log.
package struct FoundApp {
  package let id: String
  /// The number of all tokens of the app.
  package var tokens = 0
  /// Whether the user named the app.
  package var isGiven = false
  /// The numbers of attestations that were verified and not rejected, by environment.
  package internal(set) var verified: [AttestEnvironment: Int] = [:]
  /// The number of records that were verified and not rejected.
  package internal(set) var records = 0

  /// The number of attestations that were verified and not rejected.
  package var attestations: Int { verified.values.reduce(0, +) }

  /// Returns whether at least half of the app's verified attestations need an environment
  /// (`records.R96`).
  package func needs(_ environment: AttestEnvironment) -> Bool {
    let count = verified[environment, default: 0]
    return count > 0 && count * 2 >= attestations
  }
}

/// An app whose tokens occur in a log that does not have its App ID.
package struct UnnamedApp {
  /// SHA-256 of the App ID.
  package var rpIDHash: Digest256
  package var tokens: Int
}

/// A search for the apps of a log: App IDs whose SHA-256 is the rpIdHash of tokens.
package struct AppSearch {
  /// The largest number of attestations that are verified.
  private static let verifications = 400
  /// The largest number of lines whose texts are tried as App IDs, in all and for one app.
  private static let (lineLimit, lineLimitOfApp) = (2000, 200)
  /// The lengths of App IDs, in bytes.
  private static let lengths = 3...255

  package private(set) var apps: [FoundApp] = []
  /// The apps whose App ID is not in the log.
  package private(set) var unnamed: [UnnamedApp] = []
  /// The numbers of attestations that were examined, and of those that verified.
  package private(set) var verifications = (tried: 0, valid: 0)
  /// The number of all tokens that were examined.
  private let total: Int
  /// The number of records that were verified and not rejected.
  private var records = 0
  /// The reason why the first attestation that failed did so.
  package private(set) var firstFailure: String?

  /// Finds the apps of requests.
  ///
  /// - Parameters:
  ///   - given: App IDs that the user named.
  ///   - isAppID: Returns whether a text can be an App ID.
  init(_ requests: [Request], given: [String], isAppID: (String) -> Bool) {
    total = requests.count
    var tokens: [Digest256: Int] = [:]
    for request in requests { tokens[request.token.rpIDHash, default: 0] += 1 }
    let names = Self.names(of: requests, given: given)
    for (hash, count) in tokens {
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
  }

  /// Returns the App IDs by their SHA-256: those given, then those of leaf certificates, then those
  /// of lines.
  private static func names(of requests: [Request], given: [String]) -> [Digest256: String] {
    var names: [Digest256: String] = [:]
    for id in given { names[.sha256(Array(id.utf8).span)] = id }
    for token in requests.lazy.map(\.token) where names[token.rpIDHash] == nil {
      guard let id = token.attestation?.appID else { continue }
      if Digest256.sha256(Array(id.utf8).span) == token.rpIDHash { names[token.rpIDHash] = id }
    }
    var looked: [Digest256: Int] = [:]
    var left = lineLimit
    for request in requests where left > 0 && names[request.token.rpIDHash] == nil {
      let hash = request.token.rpIDHash
      guard looked[hash, default: 0] < lineLimitOfApp else { continue }
      looked[hash, default: 0] += 1
      left -= 1
      names[hash] = request.line.values.first { isID($0, of: request.token) }?.string
    }
    return names
  }

  /// Returns the field `appId` of lines with tokens, or nil if none name their app.
  static func field(_ tokens: [FoundToken], _ sample: LogSample) -> FieldNote? {
    var pointers: [Int: Int] = [:]
    for token in tokens.prefix(lineLimit) {
      for value in sample.lines[token.line].values where isID(value, of: token) {
        pointers[value.pointer, default: 0] += 1
      }
    }
    return pointers.most.map { pointer, count in
      FieldNote(
        .appId, sample.pointers.mapping(pointer), "App IDs, whose SHA-256 the tokens contain",
        on: count, of: min(tokens.count, lineLimit))
    }
  }

  /// Returns whether a text is the App ID of a token's app.
  private static func isID(_ value: SampleValue, of token: FoundToken) -> Bool {
    value.kind == .string && lengths.contains(value.text.count)
      && value.text.contains(UInt8(ascii: "."))
      && Digest256.sha256(Array(value.text).span) == token.rpIDHash
  }

  /// Returns the reason why an app is left to the user, or nil if there is none: fewer than half of
  /// the verified records need it (`records.R96`), or of all tokens if no record was verified.
  package func doubt(_ app: FoundApp) -> String? {
    if app.isGiven { return nil }
    if records > 0 {
      return app.records * 2 >= records
        ? nil : "\(app.records) of \(records) verified records are of this app"
    }
    return app.tokens * 2 >= total ? nil : counts(app.tokens)
  }

  /// Returns a text on a number of tokens.
  package func counts(_ tokens: Int) -> String {
    "\(tokens) of \(total) \(total == 1 ? "token" : "tokens")"
  }

  // MARK: Verification

  /// A line with a token.
  struct Request {
    var token: FoundToken
    var line: SampleLine
    /// The key under which the signature of an assertion is valid.
    var key: Digest256?
  }

  /// Verifies attestations, and counts the records that need each app and environment. Records that
  /// the server rejected need nothing.
  ///
  /// - Parameter known: The keys that a list names.
  mutating func verify(
    _ requests: [Request], known: Set<Digest256>, anchors: [[UInt8]], audit: SampleAudit
  ) {
    let policies = apps.map {
      AppPolicy(id: $0.id, environments: Set(AttestEnvironment.allCases))
    }
    guard
      let verifier = try? AttestationVerifier(
        apps: ConfiguredApps(policies), trustAnchors: anchors, receiptAnchors: [],
        receipts: .ignore)
    else { return }
    var keys = known
    for request in requests.filter({ $0.token.attestation != nil }).prefix(Self.verifications) {
      guard case .record(let record) = audit.read(request.line), record.kind == .attestation,
        let key = record.keyID.flatMap({ Digest256(audit.bytes($0)) })
      else { continue }
      let data = record.clientData.map(audit.bytes)
      let hash =
        record.clientDataHash.map(audit.bytes)
        ?? data.map { record.clientDataIsHash ? $0 : Digest256.sha256($0.span).bytes } ?? []
      verifications.tried += 1
      guard
        case .judged(let judged) = verifier.judge(
          token: audit.bytes(record.token).span, keyIdentifier: key, clientDataHash: hash.span,
          appID: nil, time: record.time)
      else { continue }
      if let verified = judged.verified {
        verifications.valid += 1
        keys.insert(key)
        guard record.decision != .rejected else { continue }
        apps[verified.appIndex].verified[verified.environment, default: 0] += 1
        apps[verified.appIndex].records += 1
        records += 1
      } else if firstFailure == nil {
        firstFailure = judged.failures.first?.detail
      }
    }
    let indexes = Dictionary(
      apps.enumerated().map { (Digest256.sha256(Array($1.id.utf8).span), $0) },
      uniquingKeysWith: { $1 })
    for request in requests {
      guard let key = request.key, keys.contains(key), audit.decision(request.line) != .rejected
      else { continue }
      records += 1
      if let app = indexes[request.token.rpIDHash] { apps[app].records += 1 }
    }
  }
}
