package import AppAttest
package import AuditEngine
package import AuditReport

/// All settings, in the order of files, help and documentation, all of which are made from it, as
/// are the readers, the list of `check` and the JSON Schema.
package struct SettingTable: Sendable {
  package static let shared = SettingTable()

  /// The settings in the order of this file.
  package static let all: [any AnySetting] =
    Mirror(reflecting: shared).children.compactMap { $0.value as? any AnySetting }

  // MARK: Input

  package let pipeline = Setting(
    .input, flag: "--pipeline <file>", .file,
    "Read the settings of a pipeline file. Flags win over it.")

  package let version = Setting(
    .input, path: "version", .version, standard: "1", "Name the version of the file's format.")

  package let inputs = Setting(
    .input, path: "inputs", .paths, to: .property(\.configuration.inputs),
    standard: "none", absent: "none: name them on the command line",
    "Audit these logs: files, folders, globs, or - for standard input.")

  package let filesFrom = Setting(
    .input, flag: "--files-from <file>...", .files,
    "Read the paths of further inputs from a file, one on each line; repeatable.")

  package let follow = Setting(
    .input, flag: "--follow", path: "follow", .one(.boolean),
    to: .property(\.configuration.followsLinks),
    "Follow links that lead out of an input folder. Without it, a notice names them.")

  package let stdinName = Setting(
    .input, flag: "--stdin-name <name>", .one(.text),
    to: .property(\.configuration.standardInputName),
    "Name standard input in the reports.")

  package let schema = Setting(
    .input, flag: "--schema <name|path>", path: "schema", .schema, standard: "default",
    "Read log lines by this schema: the name of a shipped schema, or a file.")

  package let date = Setting(
    .input, flag: "--date <day>", .one(.day), standard: "yesterday, UTC",
    "Replace ${date} by this day.")

  package let expected = Setting(
    .input, path: "expect", .expected, to: .property(\.configuration.expected),
    standard: "none", absent: "",
    "Expect at least this many lines of these inputs in every run; report stream.missing otherwise."
  )

  // MARK: Apps and trust

  package let apps = Setting(
    .trust, flag: "--app-id <id>...", path: "apps", .apps, to: .property(\.configuration.apps),
    standard: "none", absent: "none: name them with --app-id",
    "Accept tokens of this App ID: prefix, point, bundle identifier; repeatable.")

  package let environments = Setting(
    .trust, flag: "--environment <environment>", .one(.environments), standard: "production",
    "Accept keys of this environment: production, development or any.")

  package let anchors = Setting(
    .trust, flag: "--trust-anchor <pem>...", path: "trust.anchors", .files,
    standard: "Apple App Attestation Root CA",
    "Trust these root certificates of attestations instead of Apple's; repeatable.")

  package let receiptAnchors = Setting(
    .trust, flag: "--receipt-anchor <pem>...", path: "trust.receiptAnchors", .files,
    standard: "Apple Root CA - G3",
    "Trust these root certificates of receipts instead of Apple's; repeatable.")

  package let receipts = Setting(
    .trust, flag: "--receipts <policy>", path: "trust.receipts", .one(.cases),
    to: .property(\.configuration.receipts),
    "Check the receipts in attestations completely, partly or not: verify, parse or ignore.")

  package let macOSAccessControl = Setting(
    .trust, flag: "--macos-access-control <policy>", path: "trust.macOSAccessControl",
    .one(.cases), to: .property(\.configuration.macOSAccessControl),
    "Require Apple's access control for full security in keys of Macs: verify or ignore.")

  package let keys = Setting(
    .trust, flag: "--keys <file>", path: "keys", .file,
    "Read a list of keys that are older than these logs: CSV or JSON Lines.")

  // MARK: Detection

  package let reorderTolerance = Setting(
    .detection, flag: "--reorder-tolerance <duration>", path: "detect.reorderTolerance",
    .one(.duration), to: .property(\.configuration.detection.reorderTolerance),
    "Tolerate events in the wrong order if they are at most this far apart.")

  package let retryTolerance = Setting(
    .detection, flag: "--retry-tolerance <duration>", path: "detect.retryTolerance",
    .one(.duration.off(at: 0)), to: .property(\.configuration.detection.retryTolerance),
    "Allow a repetition of the same request for this long; 0s is off.")

  package let rejectedRetry = Setting(
    .detection, flag: "--rejected-retry <duration>", path: "detect.rejectedRetry",
    .one(.duration), to: .property(\.configuration.detection.rejectedRetry),
    "Allow a repetition of a rejected request for this long.")

  package let replayScope = Setting(
    .detection, flag: "--replay-scope <scope>", path: "detect.replayScope", .one(.cases),
    to: .property(\.configuration.detection.replayScope),
    "Find replays across all keys, per key, or of equal requests only: global, key or exact.")

  package let identicalRecords = Setting(
    .detection, flag: "--identical-records <word>", path: "detect.identicalRecords", .one(.cases),
    to: .property(\.configuration.detection.identicalRecords),
    "Report equal records without a request identifier as replay or as duplicate.")

  package let counterGap = Setting(
    .detection, flag: "--counter-gap <number>", path: "detect.counterGap",
    .one(.counterGap.off(at: 0)), to: .property(\.configuration.detection.counterGap),
    "Report counters that are more than this above the one before; 0 is off.")

  package let challengesRequired = Setting(
    .detection, flag: "--challenges <rule>", path: "detect.challenges", .one(.challenges),
    to: .property(\.configuration.detection.challengesRequired),
    "Require that the log contains every issued challenge: optional or required.")

  package let challengeTTL = Setting(
    .detection, flag: "--challenge-ttl <duration>", path: "detect.challengeTTL",
    .one(.positiveDuration),
    to: SettingPlace(
      put: { $1.configuration.detection.challengeTTL = $0 },
      get: { $0.configuration.detection.challengeLimit }),
    standard: "off; 1d if challenges are required", absent: "off",
    "Report challenges that are used later than this.")

  package let attestationMaxAge = Setting(
    .detection, flag: "--attestation-max-age <duration>", path: "detect.attestationMaxAge",
    .one(.duration), to: .property(\.configuration.attestationMaxAge),
    "Report attestations that are older than this when they are recorded.")

  package let severities = Setting(
    .detection, path: "severity", .severities, to: .property(\.configuration.severities),
    standard: "those of each code", absent: "",
    "Set the severity of each finding of a code. It is never raised or lowered.")

  package let refusal = Setting(
    .detection, path: "refuse", .refusal, to: .property(\.configuration.refusal),
    standard: "high", absent: "",
    "Let simulate refuse a request with one of these codes, or with a finding from this severity on."
  )

  // MARK: Limits and machine

  package let memory = Setting(
    .limits, flag: "--memory <size>", path: "limits.memory", .one(.memory),
    to: .property(\.configuration.limits.memory),
    standard: "a quarter of the machine's, at most 4GiB", "Limit the memory of the process.")

  package let jobs = Setting(
    .limits, flag: "--jobs <number>", path: "limits.jobs", .one(.jobs),
    to: .property(\.configuration.limits.jobs), standard: "0",
    "Use this many worker threads; 0 is one for each core.")

  package let lineBytes = Setting(
    .limits, path: "limits.lineBytes", .one(.lineBytes),
    to: .property(\.configuration.limits.lineBytes), "Limit the length of a line.")

  package let zstdWindowBytes = Setting(
    .limits, path: "limits.zstdWindowBytes", .one(.zstdWindow),
    to: .property(\.configuration.limits.zstdWindowBytes), "Limit the window of a zstd frame.")

  package let rejects = Setting(
    .limits, path: "limits.rejects", .one(.rejects), to: .property(\.configuration.limits.rejects),
    "Limit the findings and rows of rejects.jsonl about unreadable lines of one input.")

  package let rejectRate = Setting(
    .limits, path: "limits.rejectRate", .one(.percent),
    to: .property(\.configuration.limits.rejectRate),
    "Treat an input as another log if more than this share of its lines is unreadable.")

  package let tempDirectory = Setting(
    .limits, flag: "--temp-dir <folder>", path: "limits.tempDir", .path,
    to: .property(\.configuration.limits.tempDirectory), standard: "$TMPDIR, else /var/tmp",
    "Write data that do not fit into memory to this folder.")

  package let verifier = Setting(
    .limits, flag: "--verifier <verifier>", .one(.cases),
    to: .property(\.configuration.verification.verifier),
    "Verify the signatures of assertions with batch or openssl.")

  package let crossCheck = Setting(
    .limits, flag: "--cross-check <share>", .one(.percent),
    to: .property(\.configuration.verification.crossCheck),
    "Let OpenSSL check this share of the valid signatures again.")

  // MARK: Report and output

  package let out = Setting(
    .report, flag: "--out <folder>", path: "report.out", .path, to: .optional(\.report.out),
    standard: "none", absent: "no report folder, only the summary",
    "Write the report to this folder; - writes only the findings, to standard output.")

  package let overwrite = Setting(
    .report, flag: "--overwrite", path: "report.overwrite", .one(.boolean),
    to: .property(\.report.overwrite), "Replace an earlier report in the folder.")

  package let mode = Setting(
    .report, path: "report.mode", .one(.permissions), to: .property(\.report.mode),
    "Set the permissions of the report's files. Users who can read them can enter its folder.")

  package let verdicts = Setting(
    .report, flag: "--verdicts", path: "report.verdicts", .one(.boolean),
    to: .property(\.report.verdicts),
    "Also write verdicts.csv.zst: one row for every line.")

  package let html = Setting(
    .report, path: "report.html", .one(.boolean), to: .property(\.report.html),
    "Write report.html, one page for people.")

  package let formats = Setting(
    .report, flag: "--format <list>", path: "report.formats", .findingFormats,
    to: .property(\.report.formats), standard: "none",
    "Also write the findings as ocsf, ecs or timesketch; a list with commas.")

  package let index = Setting(
    .report, flag: "--index", path: "report.index", .one(.boolean),
    to: .property(\.report.index),
    "Also write events.csv.zst for timeline: all events by key.")

  package let failOn = Setting(
    .report, flag: "--fail-on <level>", path: "report.failOn", .one(.failOn),
    to: .property(\.report.failOn),
    "Exit with 1 from this severity on: info, low, medium, high, critical or never.")

  package let metrics = Setting(
    .report, flag: "--metrics <file>", path: "report.metrics", .path,
    to: .optional(\.report.metrics),
    "Write the run's metrics for node_exporter's textfile collector.")

  package let onlyNew = Setting(
    .report, flag: "--only-new", path: "report.onlyNew", .one(.boolean),
    to: .property(\.report.onlyNew), needs: .state,
    "Print only new findings, and let only them decide the exit status.")

  package let quiet = Setting(
    .report, flag: "--quiet", .one(.boolean), to: .property(\.report.quiet),
    "Print no summary and no progress.")

  package let color = Setting(
    .report, flag: "--color <when>", .one(.cases), to: .property(\.report.color),
    "Print in colours: auto (on a terminal), always or never.")

  package let logLevel = Setting(
    .report, flag: "--log-level <level>", .one(.cases), to: .property(\.report.logLevel),
    "Log messages from this level on: trace, debug, info, notice, warning, error or critical.")

  // MARK: State

  package let stateDir = Setting(
    .state, flag: "--state <folder>", path: "state.dir", .path,
    to: .optional(\.stateDir), absent: "none: nothing is remembered from run to run",
    "Remember keys, counters, hashes, inputs and findings from run to run in this folder.")

  package let stateMode = Setting(
    .state, flag: "--state-mode <mode>", path: "state.mode", .one(.cases),
    to: .property(\.stateValues.mode), needs: .state,
    "Let audit add its run to the state, or only read the state: advance or reference.")

  package let stateWindow = Setting(
    .state, flag: "--state-window <duration>", path: "state.window", .one(.positiveDuration),
    to: .property(\.stateValues.window), needs: .advance,
    "Remember a clientDataHash for this long.")

  package let pendingFor = Setting(
    .state, flag: "--pending-for <duration>", path: "state.pendingFor", .one(.duration),
    to: .property(\.stateValues.pendingFor), needs: .advance,
    "Keep the assertions of a key for this long, in case a log arrives late.")

  package let settle = Setting(
    .state, flag: "--settle <duration>", path: "state.settle", .one(.duration),
    to: .property(\.stateValues.settle), needs: .advance,
    "Read an input only to its last complete line if it changed less than this ago.")

  package let generations = Setting(
    .state, path: "state.generations", .one(.number(0...100)),
    to: .property(\.stateValues.generations), needs: .advance,
    "Keep this many earlier states for state rollback: those before the last runs.")

  package let waitLock = Setting(
    .state, flag: "--wait-lock <duration>", .one(.duration),
    to: .property(\.stateValues.waitLock), needs: .advance,
    "Wait this long for another run to release the state.")

  package let accepted = Setting(
    .state, path: "accept", .accepted, to: .property(\.configuration.accepted),
    standard: "none", absent: "",
    "Leave these findings out of the reports until a day that each entry names.")

  package let schemaTests = Setting(
    .input, path: "tests", .tests, "Test the schema with these lines and their expected records.")
}
