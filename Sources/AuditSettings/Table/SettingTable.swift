package import AppAttest
package import AuditEngine
package import AuditReport

/// All settings, in the order of files, help and documentation, all of which are made from it, as
/// are the readers, the list of `check` and the JSON Schema.
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

  package let follow = Setting(
    "follow", .one(.boolean), to: .property(\.configuration.followsLinks))

  package let stdinName = Setting(
    "--stdin-name", .one(.text), to: .property(\.configuration.standardInputName))

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

  package let receipts = Setting(
    "trust.receipts", .one(.cases), to: .property(\.configuration.receipts))

  package let macOSAccessControl = Setting(
    "trust.macOSAccessControl", .one(.cases), to: .property(\.configuration.macOSAccessControl))

  package let keys = Setting("keys", .file)

  // MARK: Detection

  package let reorderTolerance = Setting(
    "detect.reorderTolerance", .one(.duration),
    to: .property(\.configuration.detection.reorderTolerance))

  package let retryTolerance = Setting(
    "detect.retryTolerance", .one(.duration.off(at: 0)),
    to: .property(\.configuration.detection.retryTolerance))

  package let rejectedRetry = Setting(
    "detect.rejectedRetry", .one(.duration), to: .property(\.configuration.detection.rejectedRetry))

  package let replayScope = Setting(
    "detect.replayScope", .one(.cases), to: .property(\.configuration.detection.replayScope))

  package let identicalRecords = Setting(
    "detect.identicalRecords", .one(.cases),
    to: .property(\.configuration.detection.identicalRecords))

  package let counterGap = Setting(
    "detect.counterGap", .one(.counter.off(at: 0)),
    to: .property(\.configuration.detection.counterGap))

  package let challengesRequired = Setting(
    "detect.challenges", .one(.word([("optional", false), ("required", true)])),
    to: .property(\.configuration.detection.challengesRequired))

  package let challengeTTL = Setting(
    "detect.challengeTTL", .one(.positiveDuration),
    to: SettingPlace(
      put: { $1.configuration.detection.challengeTTL = $0 },
      get: { $0.configuration.detection.challengeLimit }), absent: "off")

  package let attestationMaxAge = Setting(
    "detect.attestationMaxAge", .one(.duration), to: .property(\.configuration.attestationMaxAge))

  package let severities = Setting(
    "severity", .severities, to: .property(\.configuration.severities), absent: "")

  package let refusal = Setting(
    "refuse", .refusal, to: .property(\.configuration.refusal), absent: "")

  // MARK: Limits and machine

  package let memory = Setting(
    "limits.memory", .one(.memory), to: .property(\.configuration.limits.memory))

  /// 0 stands for as many as the machine has cores.
  package let jobs = Setting(
    "limits.jobs", .one(.number(0...1024)), to: .property(\.configuration.limits.jobs))

  package let lineBytes = Setting(
    "limits.lineBytes", .one(.lineBytes), to: .property(\.configuration.limits.lineBytes))

  package let zstdWindowBytes = Setting(
    "limits.zstdWindowBytes", .one(.zstdWindow),
    to: .property(\.configuration.limits.zstdWindowBytes))

  package let rejects = Setting(
    "limits.rejects", .one(.number(0...1_000_000_000)),
    to: .property(\.configuration.limits.rejects))

  package let rejectRate = Setting(
    "limits.rejectRate", .one(.percent), to: .property(\.configuration.limits.rejectRate))

  package let tempDirectory = Setting(
    "limits.tempDir", .path, to: .property(\.configuration.limits.tempDirectory))

  package let verifier = Setting(
    "--verifier", .one(.cases), to: .property(\.configuration.verification.verifier))

  package let crossCheck = Setting(
    "--cross-check", .one(.percent), to: .property(\.configuration.verification.crossCheck))

  // MARK: Report and output

  package let out = Setting(
    "report.out", .path, to: .optional(\.report.out), absent: "no report folder, only the summary")

  package let overwrite = Setting(
    "report.overwrite", .one(.boolean), to: .property(\.report.overwrite))

  package let mode = Setting("report.mode", .one(.permissions), to: .property(\.report.mode))

  package let verdicts = Setting(
    "report.verdicts", .one(.boolean), to: .property(\.report.contents.verdicts))

  package let html = Setting("report.html", .one(.boolean), to: .property(\.report.contents.page))

  package let formats = Setting(
    "report.formats", .findingFormats, to: .property(\.report.contents.formats))

  package let index = Setting(
    "report.index", .one(.boolean), to: .property(\.report.contents.index))

  package let failOn = Setting(
    "report.failOn",
    .one(
      SettingFormat<FailOn>.word(
        Severity.allCases.map { ($0.name, .level($0)) } + [("never", .never)])),
    to: .property(\.report.failOn))

  package let metrics = Setting("report.metrics", .path, to: .optional(\.report.metrics))

  package let onlyNew = Setting(
    "report.onlyNew", .one(.boolean), to: .property(\.report.onlyNew), needs: .state)

  package let quiet = Setting("--quiet", .one(.boolean), to: .property(\.report.quiet))

  package let color = Setting("--color", .one(.cases), to: .property(\.report.color))

  package let logLevel = Setting("--log-level", .one(.cases), to: .property(\.report.logLevel))

  // MARK: State

  package let stateDir = Setting(
    "state.dir", .path, to: .optional(\.stateDir),
    absent: "none: nothing is remembered from run to run")

  package let stateMode = Setting(
    "state.mode", .one(.cases), to: .property(\.stateValues.mode), needs: .state)

  package let stateWindow = Setting(
    "state.window", .one(.positiveDuration), to: .property(\.stateValues.window), needs: .advance)

  package let pendingFor = Setting(
    "state.pendingFor", .one(.duration), to: .property(\.stateValues.pendingFor), needs: .advance)

  package let settle = Setting(
    "state.settle", .one(.duration), to: .property(\.stateValues.settle), needs: .advance)

  package let generations = Setting(
    "state.generations", .one(.number(0...100)), to: .property(\.stateValues.generations),
    needs: .advance)

  package let waitLock = Setting(
    "--wait-lock", .one(.duration), to: .property(\.stateValues.waitLock), needs: .advance)

  package let accepted = Setting(
    "accept", .inFiles(AcceptedFindingReader.read) { ["\($0.count)"] },
    to: .property(\.configuration.accepted), absent: "")

  package let schemaTests = Setting("tests", .inFiles(SchemaTestReader.read) { ["\($0.count)"] })
}
