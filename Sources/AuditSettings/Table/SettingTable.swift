package import AppAttest
package import AuditEngine
package import AuditReport

/// All settings, in the order in which files, help and documentation show them.
///
/// This is the only place that defines a setting: flags, help, manual, completions, the reader of
/// pipeline files, the list of `check`, the JSON Schema and the documentation are made from it.
package struct SettingTable: Sendable {
  package static let shared = SettingTable()

  /// The settings in the order of this file.
  package static let all: [any AnySetting] =
    Mirror(reflecting: shared).children.compactMap { $0.value as? any AnySetting }

  // MARK: Input

  package let pipeline = Setting(
    .input, flag: "--pipeline <file>", .file, "A pipeline file; flags win over it.")

  package let version = Setting(
    .input, path: "version", .version, standard: "1", "The version of the file's format.")

  package let inputs = Setting(
    .input, path: "inputs", .paths, to: .property(\.configuration.inputs),
    standard: "none", absent: "none here: to be named on the command line",
    "The logs: files, folders, globs, or - for standard input.")

  package let filesFrom = Setting(
    .input, flag: "--files-from <file>...", .files,
    "Reads further inputs from a file, one path a line; repeatable.")

  package let follow = Setting(
    .input, flag: "--follow", path: "follow", .one(.boolean),
    to: .property(\.configuration.followsLinks),
    "Follows links that lead out of an input folder; else a notice names them.")

  package let stdinName = Setting(
    .input, flag: "--stdin-name <name>", .one(.text),
    to: .property(\.configuration.standardInputName),
    "The name of standard input in the reports.")

  package let schema = Setting(
    .input, flag: "--schema <name|path>", path: "schema", .schema, standard: "default",
    "How log lines are read: a shipped schema's name, or a schema file.")

  package let date = Setting(
    .input, flag: "--date <day>", .one(.day), standard: "yesterday, UTC",
    "The day that ${date} stands for.")

  package let expected = Setting(
    .input, path: "expect", .expected, to: .property(\.configuration.expected),
    standard: "none", absent: "",
    "Inputs that must bring at least so many lines in every run; fewer are stream.missing.")

  // MARK: Apps and trust

  package let apps = Setting(
    .trust, flag: "--app-id <id>...", path: "apps", .apps, to: .property(\.configuration.apps),
    standard: "none", absent: "none here: to be named with --app-id",
    "An App ID that the logs may name: prefix, point, bundle identifier; repeatable.")

  package let environments = Setting(
    .trust, flag: "--environment <environment>", .one(.environments), standard: "production",
    "The environments accepted: production, development or any.")

  package let anchors = Setting(
    .trust, flag: "--trust-anchor <pem>...", path: "trust.anchors", .files,
    standard: "Apple App Attestation Root CA",
    "Certificates that end an attestation's chain, instead of Apple's; repeatable.")

  package let receiptAnchors = Setting(
    .trust, flag: "--receipt-anchor <pem>...", path: "trust.receiptAnchors", .files,
    standard: "Apple Root CA - G3",
    "Certificates that end a receipt's chain, instead of Apple's; repeatable.")

  package let receipts = Setting(
    .trust, flag: "--receipts <policy>", path: "trust.receipts", .one(.cases),
    to: .property(\.configuration.receipts),
    "What happens to the receipts inside attestations: verify, parse or ignore.")

  package let macOSAccessControl = Setting(
    .trust, flag: "--macos-access-control <policy>", path: "trust.macOSAccessControl",
    .one(.cases), to: .property(\.configuration.macOSAccessControl),
    "Whether keys of Macs need Apple's access control for full security: verify or ignore.")

  package let keys = Setting(
    .trust, flag: "--keys <file>", path: "keys", .file,
    "Keys attested before these logs begin: CSV or JSON Lines.")

  // MARK: Detection

  package let reorderTolerance = Setting(
    .detection, flag: "--reorder-tolerance <duration>", path: "detect.reorderTolerance",
    .one(.duration), to: .property(\.configuration.detection.reorderTolerance),
    "How far apart events may be logged in the wrong order.")

  package let retryTolerance = Setting(
    .detection, flag: "--retry-tolerance <duration>", path: "detect.retryTolerance",
    .one(.duration.off(at: 0)), to: .property(\.configuration.detection.retryTolerance),
    "How long the same request may come again; 0s is off.")

  package let rejectedRetry = Setting(
    .detection, flag: "--rejected-retry <duration>", path: "detect.rejectedRetry",
    .one(.duration), to: .property(\.configuration.detection.rejectedRetry),
    "How long a request that the server rejected may come again.")

  package let replayScope = Setting(
    .detection, flag: "--replay-scope <scope>", path: "detect.replayScope", .one(.cases),
    to: .property(\.configuration.detection.replayScope),
    "What counts as a replay: global, key or exact.")

  package let identicalRecords = Setting(
    .detection, flag: "--identical-records <word>", path: "detect.identicalRecords", .one(.cases),
    to: .property(\.configuration.detection.identicalRecords),
    "What equal records without a request identifier are: replay or duplicate.")

  package let counterGap = Setting(
    .detection, flag: "--counter-gap <number>", path: "detect.counterGap",
    .one(.counterGap.off(at: 0)), to: .property(\.configuration.detection.counterGap),
    "Reports counters more than this above the one before; 0 is off.")

  package let challengesRequired = Setting(
    .detection, flag: "--challenges <rule>", path: "detect.challenges", .one(.challenges),
    to: .property(\.configuration.detection.challengesRequired),
    "Whether every challenge must have been logged: optional or required.")

  package let challengeTTL = Setting(
    .detection, flag: "--challenge-ttl <duration>", path: "detect.challengeTTL",
    .one(.positiveDuration),
    to: SettingPlace(
      put: { $1.configuration.detection.challengeTTL = $0 },
      get: { $0.configuration.detection.challengeLimit }),
    standard: "off; 1d where challenges are required", absent: "off",
    "How long a challenge may be used.")

  package let attestationMaxAge = Setting(
    .detection, flag: "--attestation-max-age <duration>", path: "detect.attestationMaxAge",
    .one(.duration), to: .property(\.configuration.attestationMaxAge),
    "How old an attestation may be when it is recorded.")

  package let severities = Setting(
    .detection, path: "severity", .severities, to: .property(\.configuration.severities),
    standard: "those of each code", absent: "",
    "The severity of each finding of a code, never raised or lowered.")

  // MARK: Limits and machine

  package let memory = Setting(
    .limits, flag: "--memory <size>", path: "limits.memory", .one(.memory),
    to: .property(\.configuration.limits.memory),
    standard: "a quarter of the machine's, at most 4GiB", "What the process may take.")

  package let jobs = Setting(
    .limits, flag: "--jobs <number>", path: "limits.jobs", .one(.jobs),
    to: .property(\.configuration.limits.jobs), standard: "0",
    "Worker threads; 0: one for each core.")

  package let lineBytes = Setting(
    .limits, path: "limits.lineBytes", .one(.lineBytes),
    to: .property(\.configuration.limits.lineBytes), "The longest line that is read.")

  package let zstdWindowBytes = Setting(
    .limits, path: "limits.zstdWindowBytes", .one(.zstdWindow),
    to: .property(\.configuration.limits.zstdWindowBytes), "The largest zstd window.")

  package let rejects = Setting(
    .limits, path: "limits.rejects", .one(.rejects), to: .property(\.configuration.limits.rejects),
    "The most findings and rows of rejects.jsonl about lines of one input that are not records.")

  package let rejectRate = Setting(
    .limits, path: "limits.rejectRate", .one(.percent),
    to: .property(\.configuration.limits.rejectRate),
    "The share of unreadable lines above which an input is called wrongly read.")

  package let tempDirectory = Setting(
    .limits, flag: "--temp-dir <folder>", path: "limits.tempDir", .path,
    to: .property(\.configuration.limits.tempDirectory), standard: "$TMPDIR, else /var/tmp",
    "The folder for what does not fit into memory.")

  package let verifier = Setting(
    .limits, flag: "--verifier <verifier>", .one(.cases),
    to: .property(\.configuration.verification.verifier),
    "Who checks the signatures of assertions: batch or openssl.")

  package let crossCheck = Setting(
    .limits, flag: "--cross-check <share>", .one(.percent),
    to: .property(\.configuration.verification.crossCheck),
    "The share of accepted signatures that OpenSSL checks again.")

  // MARK: Report and output

  package let out = Setting(
    .report, flag: "--out <folder>", path: "report.out", .path, to: .optional(\.report.out),
    standard: "none", absent: "no report folder: the summary alone",
    "The report folder to make; - for findings alone on standard output.")

  package let overwrite = Setting(
    .report, flag: "--overwrite", path: "report.overwrite", .one(.boolean),
    to: .property(\.report.overwrite), "Replaces an earlier report in the folder.")

  package let mode = Setting(
    .report, path: "report.mode", .one(.permissions), to: .property(\.report.mode),
    "The permissions of the report's files; who may read them may enter its folder.")

  package let verdicts = Setting(
    .report, flag: "--verdicts", path: "report.verdicts", .one(.boolean),
    to: .property(\.report.verdicts),
    "Writes verdicts.csv.zst, a row for every record, as well.")

  package let html = Setting(
    .report, path: "report.html", .one(.boolean), to: .property(\.report.html),
    "Writes report.html, one page for people.")

  package let formats = Setting(
    .report, flag: "--format <list>", path: "report.formats", .findingFormats,
    to: .property(\.report.formats), standard: "none",
    "Write findings as ocsf, ecs or timesketch as well; with commas.")

  package let index = Setting(
    .report, flag: "--index", path: "report.index", .one(.boolean),
    to: .property(\.report.index),
    "Writes events.csv.zst, all events by key, which timeline reads.")

  package let failOn = Setting(
    .report, flag: "--fail-on <level>", path: "report.failOn", .one(.failOn),
    to: .property(\.report.failOn),
    "Exit 1 from this severity on: info, low, medium, high, critical or never.")

  package let metrics = Setting(
    .report, flag: "--metrics <file>", path: "report.metrics", .path,
    to: .optional(\.report.metrics),
    "Writes the run's metrics for node_exporter's textfile collector.")

  package let onlyNew = Setting(
    .report, flag: "--only-new", path: "report.onlyNew", .one(.boolean),
    to: .property(\.report.onlyNew), needs: .state,
    "Prints, and judges the exit status by, findings that are new to the state.")

  package let quiet = Setting(
    .report, flag: "--quiet", .one(.boolean), to: .property(\.report.quiet),
    "Prints no summary and no progress.")

  package let color = Setting(
    .report, flag: "--color <when>", .one(.cases), to: .property(\.report.color),
    "When the summary has colours: auto (on a terminal), always or never.")

  package let logLevel = Setting(
    .report, flag: "--log-level <level>", .one(.cases), to: .property(\.report.logLevel),
    "trace, debug, info, notice, warning, error or critical.")

  // MARK: State

  package let stateDir = Setting(
    .state, flag: "--state <folder>", path: "state.dir", .path,
    to: .optional(\.stateDir), absent: "none: each run stands alone",
    "What is kept from run to run: keys, counters, hashes, inputs and findings.")

  package let stateMode = Setting(
    .state, flag: "--state-mode <mode>", path: "state.mode", .one(.cases),
    to: .property(\.stateValues.mode), needs: .state,
    "advance takes every input exactly once and remembers what it saw; reference only looks.")

  package let stateWindow = Setting(
    .state, flag: "--state-window <duration>", path: "state.window", .one(.positiveDuration),
    to: .property(\.stateValues.window), needs: .advance,
    "How long a clientDataHash is remembered.")

  package let pendingFor = Setting(
    .state, flag: "--pending-for <duration>", path: "state.pendingFor", .one(.duration),
    to: .property(\.stateValues.pendingFor), needs: .advance,
    "How long a key's assertions are kept for what comes late.")

  package let settle = Setting(
    .state, flag: "--settle <duration>", path: "state.settle", .one(.duration),
    to: .property(\.stateValues.settle), needs: .advance,
    "An input changed less than this ago is read to its last whole line.")

  package let generations = Setting(
    .state, path: "state.generations", .one(.number(0...100)),
    to: .property(\.stateValues.generations), needs: .advance,
    "How many earlier states are kept for state rollback: those before the last runs.")

  package let waitLock = Setting(
    .state, flag: "--wait-lock <duration>", .one(.duration),
    to: .property(\.stateValues.waitLock), needs: .advance,
    "Waits so long where another run holds the state.")

  package let accepted = Setting(
    .state, path: "accept", .accepted, to: .property(\.configuration.accepted),
    standard: "none", absent: "",
    "Findings that were looked into and stay out of the reports until a day has passed.")

  package let schemaTests = Setting(
    .input, path: "tests", .tests, "Lines that the schema has to read as they say.")
}
