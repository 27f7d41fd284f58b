import ArgumentParser

/// The flags of `audit` as they were typed: texts, not yet looked at.
struct AuditFlags: ParsableArguments {
  @Argument(help: "Files, folders, globs, or - for standard input.")
  var inputs: [String] = []

  @Option(help: ArgumentHelp("A pipeline file; flags win over it.", valueName: "file"))
  var pipeline: String?

  @Option(
    help: ArgumentHelp("Reads further inputs from a file, one path a line.", valueName: "file"))
  var filesFrom: String?

  @Option(
    help: ArgumentHelp("The name of standard input in the reports. (default: -)", valueName: "name")
  )
  var stdinName: String?

  @Option(
    help: ArgumentHelp(
      "How log lines are read: a shipped schema's name, or a schema file. (default: default)",
      valueName: "name|path"))
  var schema: String?

  @Option(
    name: .customLong("app-id"),
    help: ArgumentHelp(
      "An App ID that the logs may name: prefix, point, bundle identifier; repeatable.",
      valueName: "id"))
  var appIDs: [String] = []

  @Option(
    help: ArgumentHelp(
      "production, development or any: the environments accepted. (default: production)",
      valueName: "environment"))
  var environment: String?

  @Option(
    name: .customLong("trust-anchor"),
    help: ArgumentHelp(
      "Certificates that end an attestation's chain, instead of Apple's; repeatable.",
      valueName: "pem"))
  var trustAnchors: [String] = []

  @Option(
    name: .customLong("receipt-anchor"),
    help: ArgumentHelp(
      "Certificates that end a receipt's chain, instead of Apple's; repeatable.",
      valueName: "pem"))
  var receiptAnchors: [String] = []

  @Option(
    help: ArgumentHelp(
      "verify, parse or ignore the receipts inside attestations. (default: verify)",
      valueName: "policy"))
  var receipts: String?

  @Option(
    help: ArgumentHelp(
      "Keys attested before these logs begin: CSV or JSON Lines.", valueName: "file"))
  var keys: String?

  @Option(
    help: ArgumentHelp(
      "How old an attestation may be when it is recorded. (default: 1d)", valueName: "duration"))
  var attestationMaxAge: String?

  @Option(
    help: ArgumentHelp(
      "How far apart events may be logged in the wrong order. (default: 30s)",
      valueName: "duration"))
  var reorderTolerance: String?

  @Option(
    help: ArgumentHelp(
      "How long the same request may come again. (default: 0s, off)", valueName: "duration"))
  var retryTolerance: String?

  @Option(
    help: ArgumentHelp(
      "global, key or exact: what counts as a replay. (default: global)", valueName: "scope"))
  var replayScope: String?

  @Option(
    help: ArgumentHelp(
      "Reports counters more than this above the one before. (default: 0, off)",
      valueName: "number"))
  var counterGap: String?

  @Option(
    help: ArgumentHelp(
      "optional or required: whether every challenge must have been logged. (default: optional)",
      valueName: "rule"))
  var challenges: String?

  @Option(
    name: .customLong("challenge-ttl"),
    help: ArgumentHelp(
      "How long a challenge may be used. (default: off)", valueName: "duration"))
  var challengeTTL: String?

  @Option(help: ArgumentHelp("The report folder to make.", valueName: "folder"))
  var out: String?

  @Flag(help: "Replaces an earlier report in --out.")
  var overwrite = false

  @Flag(help: "Writes verdicts.csv.zst, a row for every record, as well.")
  var verdicts = false

  @Option(
    help: ArgumentHelp(
      "Writes the run's metrics for node_exporter's textfile collector.", valueName: "file"))
  var metrics: String?

  @Option(
    help: ArgumentHelp(
      "info, low, medium, high, critical or never: exit 1 from there on. (default: high)",
      valueName: "level"))
  var failOn: String?

  @Flag(help: "Prints, and judges the exit status by, findings that are new to the state.")
  var onlyNew = false

  @Option(
    help: ArgumentHelp(
      "What is kept from run to run: keys, counters, hashes, inputs and findings.",
      valueName: "folder"))
  var state: String?

  @Option(
    help: ArgumentHelp(
      """
      advance or reference: takes every input exactly once and remembers what it saw, or only looks \
      at the state. (default: advance)
      """, valueName: "mode"))
  var stateMode: String?

  @Option(
    help: ArgumentHelp(
      "How long a clientDataHash is remembered. (default: 30d)", valueName: "duration"))
  var stateWindow: String?

  @Option(
    help: ArgumentHelp(
      "How long assertions of unknown keys wait for an attestation. (default: 3d)",
      valueName: "duration"))
  var pendingFor: String?

  @Option(
    help: ArgumentHelp(
      "How long a file must not have changed before it is read. (default: 10m)",
      valueName: "duration"))
  var settle: String?

  @Option(
    help: ArgumentHelp(
      "Waits so long where another run holds the state. (default: 0s)", valueName: "duration"))
  var waitLock: String?

  @Option(
    help: ArgumentHelp(
      "The day that ${date} stands for. (default: yesterday, UTC)", valueName: "day"))
  var date: String?

  @Option(
    help: ArgumentHelp(
      "Worker threads; 0: one for each core. (default: 0)", valueName: "number"))
  var jobs: String?

  @Option(
    help: ArgumentHelp(
      "What the process may take. (default: a quarter of the machine's, at most 4GiB)",
      valueName: "size"))
  var memory: String?

  @Option(
    help: ArgumentHelp(
      "The folder for what does not fit into memory. (default: $TMPDIR, else /var/tmp)",
      valueName: "folder"))
  var tempDir: String?

  @Option(
    help: ArgumentHelp(
      "batch or openssl: who checks the signatures of assertions. (default: batch)",
      valueName: "verifier"))
  var verifier: String?

  @Option(
    help: ArgumentHelp(
      "The share of accepted signatures that OpenSSL checks again. (default: 0.1%)",
      valueName: "share"))
  var crossCheck: String?

  @Flag(help: "Prints no summary and no progress.")
  var quiet = false

  @Option(
    help: ArgumentHelp(
      "trace, debug, info, notice, warning, error or critical. (default: notice)",
      valueName: "level"))
  var logLevel: String?
}
