package import AppAttest
import AuditLog
import Basics

/// An app whose tokens occur in a log.
package struct FoundApp {
  package let id: String
  package var tokens = 0
  package var isGiven = false
  /// The numbers of attestations that were verified and not rejected, by environment.
  package internal(set) var verified: [AttestEnvironment: Int] = [:]
  /// The number of records that were verified and not rejected.
  fileprivate var records = 0

  /// The number of attestations that were verified and not rejected.
  package var attestations: Int { verified.values.reduce(0, +) }

  /// Returns whether half of the verified attestations need an environment (`records.R96`).
  package func needs(_ environment: AttestEnvironment) -> Bool {
    let count = verified[environment, default: 0]
    return count > 0 && count * 2 >= attestations
  }
}

/// A search for the apps of a log: App IDs whose SHA-256 is the rpIdHash of tokens.
package struct AppSearch {
  package private(set) var apps: [FoundApp] = []
  /// The apps whose App ID is not in the log, by SHA-256.
  package private(set) var unnamed: [(rpIDHash: Digest256, tokens: Int)] = []
  /// The numbers of attestations that were examined, and of those that verified.
  package private(set) var verifications = (tried: 0, valid: 0)
  /// The reason why the first attestation that failed did so.
  package private(set) var firstFailure: String?
  private let total: Int
  private var records = 0

  /// The largest numbers of lines that are searched for App IDs: of all apps, and of one.
  private static let (lineLimit, linesEachApp) = (2000, 200)

  struct Request {
    var token: FoundToken
    var line: SampleLine
    /// The key under which the signature of an assertion is valid.
    var key: Digest256?
  }

  /// Finds the apps of requests. The user named the App IDs `given`.
  init(_ requests: [Request], given: [String], isAppID: (String) -> Bool) {
    total = requests.count
    let tokens = Dictionary(grouping: requests, by: \.token.rpIDHash).mapValues(\.count)
    let names = Self.names(of: requests, given: given)
    for (hash, count) in tokens {
      if let id = names[hash], isAppID(id), YAMLText.isPlainLine(id) {
        apps.append(FoundApp(id: id, tokens: count, isGiven: given.contains(id)))
      } else {
        unnamed.append((hash, count))
      }
    }
    unnamed.sort { ($1.tokens, $0.rpIDHash) < ($0.tokens, $1.rpIDHash) }
    for id in given where !apps.contains(where: { $0.id == id }) {
      apps.append(FoundApp(id: id, isGiven: true))
    }
    apps.sort { ($1.tokens, $0.id) < ($0.tokens, $1.id) }
  }

  private static func hash(_ id: String) -> Digest256 { .sha256(Array(id.utf8).span) }

  /// Returns the App IDs by SHA-256: those given, then those of leaves, then those of lines.
  private static func names(of requests: [Request], given: [String]) -> [Digest256: String] {
    let leaves = requests.lazy.compactMap(\.token.attestation?.leafAppID)
    var names = Dictionary(
      (given + leaves).map { (hash($0), $0) }, uniquingKeysWith: { first, _ in first })
    let others = Dictionary(grouping: requests, by: \.token.rpIDHash)
    for (hash, requests) in others where names[hash] == nil {
      names[hash] =
        requests.prefix(linesEachApp).lazy.compactMap { request in
          request.line.values.first { isID($0, of: request.token) }?.string
        }.first
    }
    return names
  }

  /// Returns the field `appId` of lines with tokens, or nil if none name their app.
  static func field(_ tokens: [FoundToken], _ sample: LogSample) -> FieldNote? {
    let found = sample.collect(tokens.prefix(lineLimit), at: \.line) { token, value in
      isID(value, of: token) ? token.line : nil
    }
    return found.mapValues(\.count).most.map { pointer, count in
      FieldNote(
        field: .appId, mapping: sample.pointers.mapping([pointer]),
        what: "App IDs, whose SHA-256 the tokens contain",
        lines: count, of: min(tokens.count, lineLimit))
    }
  }

  private static func isID(_ value: SampleValue, of token: FoundToken) -> Bool {
    value.kind == .string && (3...255).contains(value.text.count)
      && value.text.contains(UInt8(ascii: "."))
      && Digest256.sha256(Array(value.text).span) == token.rpIDHash
  }

  /// Returns the reason why an app is left to the user, or nil if there is none: fewer than half of
  /// the verified records need it (`records.R96`), or of all tokens if no record was verified.
  package func doubt(_ app: FoundApp) -> String? {
    if app.isGiven { return nil }
    if records == 0 { return app.tokens * 2 >= total ? nil : counts(app.tokens) }
    return app.records * 2 >= records
      ? nil : "\(app.records) of \(records) verified records are of this app"
  }

  /// The apps that are left to the user though a tenth of the verified records need them, and apps without
  /// a name that a tenth of the tokens are of, with the reason.
  package var doubted: [String] {
    apps.filter { $0.records > 0 && $0.records * 10 >= records }.compactMap { app in
      doubt(app).map { "\(app.id): \($0)" }
    }
      + unnamed.filter { $0.tokens * 10 >= total }.map {
        "no line names the app of \(counts($0.tokens))"
      }
  }

  package func counts(_ tokens: Int) -> String {
    "\(tokens) of \(total) \(total == 1 ? "token" : "tokens")"
  }

  /// Verifies attestations, and counts the records that need each app and environment, without
  /// rejected ones. A list names the keys `known`.
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
    for request in requests.filter({ $0.token.attestation != nil }).prefix(400) {
      guard case .record(.attestation, _) = audit.read(request.line),
        let key = audit.record.keyID.flatMap({ Digest256(audit.bytes($0)) })
      else { continue }
      let record = audit.record
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
      guard let verified = judged.verified else {
        firstFailure = firstFailure ?? judged.failures.first?.detail
        continue
      }
      verifications.valid += 1
      keys.insert(key)
      guard record.decision != .rejected else { continue }
      apps[verified.appIndex].verified[verified.environment, default: 0] += 1
      apps[verified.appIndex].records += 1
      records += 1
    }
    for request in requests {
      guard let key = request.key, keys.contains(key), audit.decision(request.line) != .rejected
      else { continue }
      records += 1
      let app = apps.firstIndex { Self.hash($0.id) == request.token.rpIDHash }
      if let app { apps[app].records += 1 }
    }
  }
}
