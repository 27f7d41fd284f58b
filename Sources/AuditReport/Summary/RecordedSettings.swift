internal import AppAttest
package import AuditEngine
internal import AuditLog

/// The settings that decide what is found, as `summary.json` keeps them under `run.settings`: whole,
/// so that a finding can be judged again without the files that the run was told of.
package struct RecordedSettings: Sendable, Equatable, Decodable {
  /// One configured app.
  package struct App: Sendable, Equatable, Decodable {
    package var id: String
    package var environments: [String]
    package var categories: [String]
    package var bundleVersions: [String]
  }

  /// The folder that relative paths of the run, its inputs too, are relative to.
  package var folder: String
  package var apps: [App]
  /// Certificates, DER in hex.
  package var trustAnchors: [String]
  /// Certificates, DER in hex.
  package var receiptAnchors: [String]
  package var receipts: String
  /// Durations are milliseconds.
  package var attestationMaxAge: UInt64
  /// The schema's name.
  package var schema: String
  /// The schema file's YAML; nil of one that comes with the program.
  package var schemaText: String?
  package var reorderTolerance: UInt64
  package var retryTolerance: UInt64
  package var rejectedRetry: UInt64
  package var replayScope: String
  package var counterGap: UInt64
  package var challenges: String
  package var challengeTTL: UInt64?
  /// Severities that were set, `code=severity`.
  package var severities: [String]
  package var lineBytes: UInt64
  package var zstdWindowBytes: UInt64
  /// The list of known keys as it was named.
  package var keys: String?
  /// The state directory.
  package var state: String?

  private enum CodingKeys: String, CodingKey {
    case folder, apps, trustAnchors, receiptAnchors, receipts, attestationMaxAge, schema, schemaText
    case reorderTolerance, retryTolerance, rejectedRetry, replayScope, counterGap, challenges
    case challengeTTL, severities, lineBytes, zstdWindowBytes, keys, state
  }

  /// Takes what decides from a run's configuration. Paths are as they were named; `schemaText` is nil
  /// for a schema that comes with the program.
  package init(
    _ configuration: AuditConfiguration, folder: String, schemaText: String?, keys: String?,
    state: String?
  ) {
    let detection = configuration.detection
    self.folder = folder
    apps = configuration.apps.map { app in
      App(
        id: app.id,
        environments: AttestEnvironment.allCases.filter(app.environments.contains).map(\.name),
        categories: app.categories.sorted { $0.rawValue < $1.rawValue }.map(\.name),
        bundleVersions: app.bundleVersions.sorted())
    }
    trustAnchors = configuration.trustAnchors.map(Self.hex)
    receiptAnchors = configuration.receiptAnchors.map(Self.hex)
    receipts = configuration.receipts.rawValue
    attestationMaxAge = UInt64(clamping: configuration.attestationMaxAge)
    schema = configuration.schema.name
    self.schemaText = schemaText
    reorderTolerance = UInt64(clamping: detection.reorderTolerance)
    retryTolerance = UInt64(clamping: detection.retryTolerance)
    rejectedRetry = UInt64(clamping: detection.rejectedRetry)
    replayScope = detection.replayScope.rawValue
    counterGap = UInt64(detection.counterGap)
    challenges = detection.challengesRequired ? "required" : "optional"
    challengeTTL = detection.challengeTTL.map { UInt64(clamping: $0) }
    severities = FindingCode.allCases.compactMap { code in
      configuration.severities[code].map { "\(code.name)=\($0.name)" }
    }
    lineBytes = UInt64(clamping: configuration.limits.lineBytes)
    zstdWindowBytes = UInt64(clamping: configuration.limits.zstdWindowBytes)
    self.keys = keys
    self.state = state
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    String(decoding: Hex.encode(bytes.span), as: UTF8.self)
  }

  /// The settings as a part of `summary.json`.
  var tree: JSONTree {
    func list(_ texts: [String]) -> JSONTree { .array(texts.map(JSONTree.string)) }
    func text(_ text: String?) -> JSONTree { text.map(JSONTree.string) ?? .null }
    let members: [(CodingKeys, JSONTree)] = [
      (.folder, .string(folder)),
      (
        .apps,
        .array(
          apps.map { app in
            .object([
              ("id", .string(app.id)), ("environments", list(app.environments)),
              ("categories", list(app.categories)), ("bundleVersions", list(app.bundleVersions)),
            ])
          })
      ),
      (.trustAnchors, list(trustAnchors)), (.receiptAnchors, list(receiptAnchors)),
      (.receipts, .string(receipts)), (.attestationMaxAge, .number(attestationMaxAge)),
      (.schema, .string(schema)), (.schemaText, text(schemaText)),
      (.reorderTolerance, .number(reorderTolerance)),
      (.retryTolerance, .number(retryTolerance)), (.rejectedRetry, .number(rejectedRetry)),
      (.replayScope, .string(replayScope)), (.counterGap, .number(counterGap)),
      (.challenges, .string(challenges)),
      (.challengeTTL, challengeTTL.map(JSONTree.number) ?? .null),
      (.severities, list(severities)), (.lineBytes, .number(lineBytes)),
      (.zstdWindowBytes, .number(zstdWindowBytes)), (.keys, text(keys)), (.state, text(state)),
    ]
    return .object(members.map { ($0.rawValue, $1) })
  }
}
