package import AppAttest
package import AuditLog

/// The limits of a run.
package struct AuditLimits: Sendable, Equatable {
  /// A bound on the whole process, in bytes.
  package var memory: Int
  package var jobs: Int
  /// The longest line, in bytes without its end.
  package var lineBytes: Int = 4 << 20
  /// The largest zstd window, in bytes, at most 2 GiB.
  package var zstdWindowBytes: Int = 128 << 20
  /// The most findings, and rows of `rejects.jsonl`, about the rejects of one input.
  package var rejects: Int = 10_000
  /// The share of unreadable lines, 0 to 1, above which an input is called wrongly read.
  package var rejectRate: Double = 0.1
  /// The folder for spilled runs.
  package var tempDirectory: String

  package init(memory: Int, jobs: Int, tempDirectory: String) {
    self.memory = memory
    self.jobs = jobs
    self.tempDirectory = tempDirectory
  }
}

/// A key attested before these logs begin.
package struct KnownKey: Sendable, Equatable {
  package var keyID: Digest256
  /// X9.62 uncompressed point, 65 bytes, on P-256, whose SHA-256 is `keyID`.
  package var publicKey: [UInt8]
  package var appID: String
  package var environment: AttestEnvironment?
  /// Milliseconds since 1970.
  package var attestedAt: Int64?
  package var lastCounter: UInt32?
  /// The time at which `lastCounter` was known to be reached, or nil if that was before all logs.
  package var lastCounterTime: Int64?
  package var subject: String?
  package var deviceID: String?
  /// Whether a log, and not only this list, had an attestation of the key.
  package var isAttestationLogged = false

  package init(
    keyID: Digest256, publicKey: [UInt8], appID: String, environment: AttestEnvironment? = nil,
    attestedAt: Int64? = nil, lastCounter: UInt32? = nil, subject: String? = nil,
    deviceID: String? = nil
  ) {
    self.keyID = keyID
    self.publicKey = publicKey
    self.appID = appID
    self.environment = environment
    self.attestedAt = attestedAt
    self.lastCounter = lastCounter
    self.subject = subject
    self.deviceID = deviceID
  }
}

/// Everything an audit has to be told, resolved and valid.
package struct AuditConfiguration: Sendable {
  /// Paths, folders, globs, or `-`, in the order of the run.
  package var inputs: [String]
  package var expected: [ExpectedInput] = []
  /// Whether links that lead out of an input folder are followed.
  package var followsLinks = false
  /// The name of standard input in the reports.
  package var standardInputName: String = "-"
  /// The schema by which the lines of the inputs are read.
  package var schema = CompiledSchema.standard
  package var apps: [AppPolicy]
  /// DER certificates that end an attestation's chain.
  package var trustAnchors: [[UInt8]]
  /// DER certificates that end a receipt's chain.
  package var receiptAnchors: [[UInt8]]
  package var receipts: ReceiptPolicy = .verify
  package var macOSAccessControl: MacOSAccessControlPolicy = .verify
  /// Milliseconds.
  package var attestationMaxAge: Int64 = 86_400_000
  package var knownKeys: [KnownKey] = []
  package var detection = DetectionPolicy()
  /// Severities set in the pipeline file, never raised or lowered.
  package var severities: [FindingCode: Severity] = [:]
  /// The findings for which a simulated server refuses a request.
  package var refusal = RefusalPolicy.severity(.high)
  package var limits: AuditLimits
  package var verification = VerificationPolicy()
  /// Whether `verdicts.csv.zst` is wanted.
  package var verdicts = false
  /// Whether events are wanted in order of key and time.
  package var index = false
  /// The keys whose events are wanted, or nil for all.
  package var eventKeys: Set<Digest256>?
  /// The day that the run is about, `2026-11-20`, or empty if it has none.
  package var day = ""
  /// The day on which acceptances must not have expired (`reports.R55`).
  package var acceptanceDay = ""
  /// Findings that were looked into and stay out of the reports, each target once.
  package var accepted: [AcceptedFinding] = []
  /// The memory of earlier runs, or nil if this run stands alone.
  package var history: RunMemory?
  /// The record of what earlier runs accounted for, or nil if every input is read.
  package var accounting: InputAccounting?

  package init(
    inputs: [String], apps: [AppPolicy], trustAnchors: [[UInt8]], receiptAnchors: [[UInt8]],
    limits: AuditLimits
  ) {
    self.inputs = inputs
    self.apps = apps
    self.trustAnchors = trustAnchors
    self.receiptAnchors = receiptAnchors
    self.limits = limits
  }

  /// The codes for which a simulated server refuses a request.
  package var refusals: [FindingCode] { refusal.codes(severities: severities) }

  /// Replaces everything that decides on requests, and nothing that decides how lines are read.
  package mutating func takePolicies(of other: AuditConfiguration) {
    apps = other.apps
    trustAnchors = other.trustAnchors
    receiptAnchors = other.receiptAnchors
    receipts = other.receipts
    macOSAccessControl = other.macOSAccessControl
    attestationMaxAge = other.attestationMaxAge
    knownKeys = other.knownKeys
    detection = other.detection
    severities = other.severities
    refusal = other.refusal
  }
}
