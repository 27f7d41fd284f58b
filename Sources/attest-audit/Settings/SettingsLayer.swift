import AppAttest
import AuditEngine
import Logging

/// What one place (the flags, or a pipeline file) says; nil is what it does not say.
struct SettingsLayer: Sendable, Equatable {
  var inputs: [String]?
  var standardInputName: String?
  var schema: SchemaFile?
  /// Tests of the schema beside those that it brings along.
  var schemaTests: [SchemaTest]?
  var apps: [AppPolicy]?
  /// The environments of every app, where they were not said for each.
  var environments: Set<AttestEnvironment>?
  var anchors: [NamedPath]?
  var receiptAnchors: [NamedPath]?
  var receipts: ReceiptPolicy?
  var keys: NamedPath?
  var attestationMaxAge: Int64?
  var reorderTolerance: Int64?
  var retryTolerance: Int64?
  var replayScope: ReplayScope?
  var counterGap: UInt32?
  var challengesRequired: Bool?
  var challengeTTL: Int64?
  var severities: [FindingCode: Severity]?
  var memory: Int?
  var jobs: Int?
  var lineBytes: Int?
  var zstdWindowBytes: Int?
  var rejectRate: Double?
  var tempDirectory: String?
  var verifier: SignatureVerifier?
  var crossCheck: Double?
  var out: String?
  var overwrite: Bool?
  var verdicts: Bool?
  var failOn: FailOn?
  var metrics: String?
  var onlyNew: Bool?
  var stateDir: String?
  var stateMode: RunHistory.Mode?
  var stateWindow: Int64?
  var pendingFor: Int64?
  var settle: Int64?
  var waitLock: Int64?
  var accepted: [AcceptedFinding]?
  var quiet: Bool?
  var logLevel: Logger.Level?

  /// Both layers as one: what this one says wins.
  func over(_ base: SettingsLayer) -> SettingsLayer {
    var merged = base
    func take<Value>(_ key: WritableKeyPath<SettingsLayer, Value?>) {
      if let value = self[keyPath: key] { merged[keyPath: key] = value }
    }
    // Apps that replace others do not inherit what was said for those.
    if apps != nil { merged.environments = nil }
    take(\.inputs)
    take(\.standardInputName)
    take(\.schema)
    take(\.schemaTests)
    take(\.apps)
    take(\.environments)
    take(\.anchors)
    take(\.receiptAnchors)
    take(\.receipts)
    take(\.keys)
    take(\.attestationMaxAge)
    take(\.reorderTolerance)
    take(\.retryTolerance)
    take(\.replayScope)
    take(\.counterGap)
    take(\.challengesRequired)
    take(\.challengeTTL)
    take(\.severities)
    take(\.memory)
    take(\.jobs)
    take(\.lineBytes)
    take(\.zstdWindowBytes)
    take(\.rejectRate)
    take(\.tempDirectory)
    take(\.verifier)
    take(\.crossCheck)
    take(\.out)
    take(\.overwrite)
    take(\.verdicts)
    take(\.failOn)
    take(\.metrics)
    take(\.onlyNew)
    take(\.stateDir)
    take(\.stateMode)
    take(\.stateWindow)
    take(\.pendingFor)
    take(\.settle)
    take(\.waitLock)
    take(\.accepted)
    take(\.quiet)
    take(\.logLevel)
    return merged
  }
}
