package import AppAttest
package import AuditEngine
package import AuditReport

/// All settings, in the order of files, help and documentation, which are made from it.
package struct SettingTable: Sendable {
  package static let shared = SettingTable()

  package static let all: [any AnySetting] =
    Mirror(reflecting: shared).children.compactMap { $0.value as? any AnySetting }

  // MARK: Input

  package let pipeline = Setting("--pipeline", .file)

  package let version = Setting("version", .one(.version))

  package let inputs = Setting(
    "inputs", .paths, to: .property(\.configuration.inputs),
    absent: "none: name them on the command line")

  package let filesFrom = Setting("--files-from", .files)

  package let follow = Setting("follow", .boolean, to: \.configuration.followsLinks)

  package let stdinName = Setting("--stdin-name", .text, to: \.configuration.standardInputName)

  package let schema = Setting("schema", .schema)

  package let date = Setting("--date", .one(.day))

  package let expected = Setting(
    "expect", .expected, to: .property(\.configuration.expected), absent: "")

  // MARK: Apps and trust

  package let apps = Setting(
    "apps", .apps, to: .property(\.configuration.apps), absent: "none: name them with --app-id")

  package let environments = Setting(
    "--environment",
    .one(
      SettingFormat<Set<AttestEnvironment>>.word(
        AttestEnvironment.allCases.map { ($0.name, Set([$0])) }
          + [("any", Set(AttestEnvironment.allCases))])))

  package let anchors = Setting("trust.anchors", .files)

  package let receiptAnchors = Setting("trust.receiptAnchors", .files)

  package let receipts = Setting("trust.receipts", .cases, to: \.configuration.receipts)

  package let macOSAccessControl = Setting(
    "trust.macOSAccessControl", .cases, to: \.configuration.macOSAccessControl)

  package let keys = Setting("keys", .file)

  // MARK: Detection

  package let reorderTolerance = Setting(
    "detect.reorderTolerance", .duration, to: \.configuration.detection.reorderTolerance)

  package let retryTolerance = Setting(
    "detect.retryTolerance", .duration.off(at: 0), to: \.configuration.detection.retryTolerance)

  package let rejectedRetry = Setting(
    "detect.rejectedRetry", .duration, to: \.configuration.detection.rejectedRetry)

  package let replayScope = Setting(
    "detect.replayScope", .cases, to: \.configuration.detection.replayScope)

  package let identicalRecords = Setting(
    "detect.identicalRecords", .cases, to: \.configuration.detection.identicalRecords)

  package let counterGap = Setting(
    "detect.counterGap", .counter.off(at: 0), to: \.configuration.detection.counterGap)

  package let challengesRequired = Setting(
    "detect.challenges", .one(.word([("optional", false), ("required", true)])),
    to: .property(\.configuration.detection.challengesRequired))

  package let challengeTTL = Setting(
    "detect.challengeTTL", .one(.positiveDuration),
    to: SettingPlace(
      put: { $1.configuration.detection.challengeTTL = $0 },
      get: { $0.configuration.detection.challengeLimit }), absent: "off")

  package let attestationMaxAge = Setting(
    "detect.attestationMaxAge", .duration, to: \.configuration.attestationMaxAge)

  package let severities = Setting(
    "severity", .severities, to: .property(\.configuration.severities), absent: "")

  package let refusal = Setting(
    "refuse", .refusal, to: .property(\.configuration.refusal), absent: "")

  // MARK: Limits and machine

  package let memory = Setting("limits.memory", .memory, to: \.configuration.limits.memory)

  /// 0 stands for as many as the machine has cores.
  package let jobs = Setting("limits.jobs", .number(0...1024), to: \.configuration.limits.jobs)

  package let lineBytes = Setting(
    "limits.lineBytes", .lineBytes, to: \.configuration.limits.lineBytes)

  package let zstdWindowBytes = Setting(
    "limits.zstdWindowBytes", .zstdWindow, to: \.configuration.limits.zstdWindowBytes)

  package let rejects = Setting(
    "limits.rejects", .number(0...1_000_000_000), to: \.configuration.limits.rejects)

  package let rejectRate = Setting(
    "limits.rejectRate", .percent, to: \.configuration.limits.rejectRate)

  package let tempDirectory = Setting(
    "limits.tempDir", .path, to: .property(\.configuration.limits.tempDirectory))

  package let verifier = Setting("--verifier", .cases, to: \.configuration.verification.verifier)

  package let crossCheck = Setting(
    "--cross-check", .percent, to: \.configuration.verification.crossCheck)

  // MARK: Report and output

  package let out = Setting(
    "report.out", .path, to: .optional(\.report.out), absent: "no report folder, only the summary")

  package let overwrite = Setting("report.overwrite", .boolean, to: \.report.overwrite)

  package let mode = Setting("report.mode", .permissions, to: \.report.mode)

  package let verdicts = Setting("report.verdicts", .boolean, to: \.report.contents.verdicts)

  package let html = Setting("report.html", .boolean, to: \.report.contents.page)

  package let formats = Setting(
    "report.formats", .findingFormats, to: .property(\.report.contents.formats))

  package let index = Setting("report.index", .boolean, to: \.report.contents.index)

  package let failOn = Setting(
    "report.failOn",
    .one(
      SettingFormat<FailOn>.word(
        Severity.allCases.map { ($0.name, .level($0)) } + [("never", .never)])),
    to: .property(\.report.failOn))

  package let metrics = Setting("report.metrics", .path, to: .optional(\.report.metrics))

  package let onlyNew = Setting("report.onlyNew", .boolean, to: \.report.onlyNew, needs: .state)

  package let quiet = Setting("--quiet", .boolean, to: \.report.quiet)

  package let color = Setting("--color", .cases, to: \.report.color)

  package let logLevel = Setting("--log-level", .cases, to: \.report.logLevel)

  // MARK: State

  package let stateDir = Setting(
    "state.dir", .path, to: .optional(\.stateDir),
    absent: "none: nothing is remembered from run to run")

  package let stateMode = Setting("state.mode", .cases, to: \.stateValues.mode, needs: .state)

  package let stateWindow = Setting(
    "state.window", .positiveDuration, to: \.stateValues.window, needs: .advance)

  package let pendingFor = Setting(
    "state.pendingFor", .duration, to: \.stateValues.pendingFor, needs: .advance)

  package let settle = Setting("state.settle", .duration, to: \.stateValues.settle, needs: .advance)

  package let generations = Setting(
    "state.generations", .number(0...100), to: \.stateValues.generations, needs: .advance)

  package let waitLock = Setting(
    "--wait-lock", .duration, to: \.stateValues.waitLock, needs: .advance)

  package let accepted = Setting(
    "accept", .inFiles(AcceptedFindingReader.read) { ["\($0.count)"] },
    to: .property(\.configuration.accepted), absent: "")

  package let schemaTests = Setting("tests", .inFiles(SchemaTestReader.read) { ["\($0.count)"] })
}
