import AppAttest
import AuditEngine
import OpenSSL

/// Makes settings out of what flags and pipeline file say: fills in defaults, reads anchors and keys.
struct SettingsResolver {
  let layer: SettingsLayer
  let environment: [String: String]
  /// The day that the run is about: what `${date}` stands for.
  let day: String

  /// The largest file of trust anchors, in bytes.
  private static let anchorFileLimit = 4 << 20
  /// A line may take no more of the memory than this share: lines lie in batches, and batches wait.
  private static let lineShare = 8

  /// Throws a ``CommandError`` of status 64 where something is missing or does not fit together, of
  /// 65 where an anchor or key file is not valid.
  func resolve() throws(CommandError) -> AuditSettings {
    var settings = AuditSettings(
      configuration: AuditConfiguration(
        inputs: layer.inputs ?? [], apps: apps,
        trustAnchors: try certificates(layer.anchors) ?? [AppleTrust.appAttestationRootCA],
        receiptAnchors: try certificates(layer.receiptAnchors) ?? [AppleTrust.rootCAG3],
        limits: try limits()),
      report: report)
    settings.state = try state()
    settings.configuration.day = day
    settings.configuration.accepted = layer.accepted ?? []
    settings.configuration.schema = schema.compiled
    settings.configuration.standardInputName = layer.standardInputName ?? "-"
    settings.configuration.receipts = layer.receipts ?? .verify
    settings.configuration.detection = detection
    settings.configuration.severities = layer.severities ?? [:]
    if let verifier = layer.verifier { settings.configuration.verification.verifier = verifier }
    if let share = layer.crossCheck { settings.configuration.verification.crossCheck = share }
    settings.configuration.verdicts = settings.report.verdicts
    if let age = layer.attestationMaxAge { settings.configuration.attestationMaxAge = age }
    if let keys = layer.keys {
      let file = try KnownKeysFile.read(keys)
      settings.configuration.knownKeys = file.keys
      settings.notices += file.notices
    }
    return settings
  }

  /// Throws unless an audit could begin with `settings`: something to read, and an app to judge by.
  static func requireComplete(_ settings: AuditSettings) throws(CommandError) {
    guard !settings.configuration.inputs.isEmpty else {
      throw CommandError(
        .usage, "no input is given",
        hint: "name files, folders or globs, - for standard input, or a --pipeline with inputs")
    }
    guard !settings.configuration.apps.isEmpty else {
      throw CommandError(
        .usage, "no app is given", hint: "--app-id PREFIX.BUNDLE, or a --pipeline with apps")
    }
    if settings.report.verdicts, settings.report.out == nil {
      throw CommandError(
        .usage, "verdicts are asked for, but no report folder",
        hint: "--out DIR, or report.out in the pipeline file")
    }
  }

  private var apps: [AppPolicy] {
    guard let environments = layer.environments else { return layer.apps ?? [] }
    return (layer.apps ?? []).map { app in
      var app = app
      app.environments = environments
      return app
    }
  }

  private var schema: SchemaFile { layer.schema ?? .standard }

  private var detection: DetectionPolicy {
    var policy = DetectionPolicy()
    if let tolerance = layer.reorderTolerance { policy.reorderTolerance = tolerance }
    if let tolerance = layer.retryTolerance { policy.retryTolerance = tolerance }
    if let scope = layer.replayScope ?? schema.replayScope { policy.replayScope = scope }
    if let gap = layer.counterGap { policy.counterGap = gap }
    if let required = layer.challengesRequired { policy.challengesRequired = required }
    policy.challengeTTL = layer.challengeTTL
    return policy
  }

  private func limits() throws(CommandError) -> AuditLimits {
    let jobs = layer.jobs ?? 0
    var limits = AuditLimits(
      memory: layer.memory ?? Machine.defaultMemory, jobs: jobs == 0 ? Machine.cores : jobs,
      tempDirectory: layer.tempDirectory ?? Machine.temporaryFolder(environment))
    if let bytes = layer.lineBytes { limits.lineBytes = bytes }
    if let bytes = layer.zstdWindowBytes { limits.zstdWindowBytes = bytes }
    if let rate = layer.rejectRate { limits.rejectRate = rate }
    guard limits.lineBytes <= limits.memory / Self.lineShare else {
      throw CommandError(
        .usage,
        "lines of \(SizeText.text(limits.lineBytes)) do not fit into a memory of "
          + SizeText.text(limits.memory),
        hint: "the memory has to be \(Self.lineShare) times limits.lineBytes or more")
    }
    return limits
  }

  private func state() throws(CommandError) -> StateSettings? {
    let resolver = StateResolver(layer: layer)
    try resolver.check()
    return resolver.settings
  }

  private var report: ReportSettings {
    var report = ReportSettings(out: layer.out)
    if let overwrite = layer.overwrite { report.overwrite = overwrite }
    if let verdicts = layer.verdicts { report.verdicts = verdicts }
    if let failOn = layer.failOn { report.failOn = failOn }
    report.metrics = layer.metrics
    if let onlyNew = layer.onlyNew { report.onlyNew = onlyNew }
    if let quiet = layer.quiet { report.quiet = quiet }
    if let level = layer.logLevel { report.logLevel = level }
    return report
  }

  /// The DER of every certificate in the files; nil where none is named.
  private func certificates(_ files: [NamedPath]?) throws(CommandError) -> [[UInt8]]? {
    guard let files, !files.isEmpty else { return nil }
    var found: [[UInt8]] = []
    for file in files {
      let text = try file.read(limit: Self.anchorFileLimit)
      do throws(OpenSSLError) {
        let anchors = try Certificate.derFromPEM(text)
        _ = try TrustStore(anchors: anchors)
        found += anchors
      } catch {
        throw CommandError(
          .invalidFile, "\(file.origin): \(file.path): \(error.context)",
          hint: "a trust anchor file holds certificates in PEM")
      }
    }
    return found
  }
}
