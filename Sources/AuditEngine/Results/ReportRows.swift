package import AppAttest
package import AuditLog

/// The place of a record: the number of its source in the order of all runs (from 0), its line
/// (from 1, or 0 for a stream), and its number in the line (`records.R86`).
package struct Position: Hashable, Sendable, Comparable {
  package var source: UInt32
  /// The line, and in the lowest 16 bits the item: rows, comparisons and the state have one number.
  package var lineItem: UInt64

  package init(source: UInt32, lineItem: UInt64) {
    self.source = source
    self.lineItem = lineItem
  }

  package init(source: UInt32, line: UInt64, item: UInt16 = 1) {
    self.init(source: source, lineItem: line << 16 | UInt64(item))
  }

  static let last = Position(source: .max, lineItem: .max)

  package var line: UInt64 {
    get { lineItem >> 16 }
    set { lineItem = newValue << 16 | UInt64(item) }
  }
  /// The number of the record in its line, from 1.
  package var item: UInt16 {
    get { UInt16(truncatingIfNeeded: lineItem) }
    set { lineItem = (lineItem & ~UInt64(UInt16.max)) | UInt64(newValue) }
  }

  package static func < (left: Position, right: Position) -> Bool {
    (left.source, left.lineItem) < (right.source, right.lineItem)
  }
}

/// One row of `findings.csv`. Nil and empty values are unknown.
package struct Finding: Sendable, Equatable {
  package var severity = Severity.info
  package var code = FindingCode.recordMalformedJSON
  /// Milliseconds since 1970, UTC.
  package var time: Int64?
  package var kind: RecordKind?
  package var keyID: Digest256?
  package var appID = ""
  /// The clientDataHash as the record has it, 16 to 255 bytes, or empty if it has none.
  package var clientDataHash: [UInt8] = []
  package var counter: UInt32?
  /// The highest counter so far; counter findings only.
  package var expected: UInt32?
  package var position = Position(source: 0, line: 0)
  package var related: Position?
  /// The number of records the finding stands for.
  package var count: UInt64 = 1
  package var requestID = ""
  package var decision = Decision.unknown
  /// The account or user that the record was made for, as the log names it.
  package var subject = ""
  /// One English sentence.
  package var detail = ""
  /// The first 8 bytes of SHA-256 over what identifies the finding, big-endian.
  package var fingerprint: UInt64 = 0
  package var relatedTime: Int64?
  /// The key of the related event, if it has one that is known.
  package var relatedKeyID: Digest256?
  /// The client's address, as the log has it.
  package var clientIP = ""
  /// The client's name of itself, as the log has it.
  package var userAgent = ""
  package var route = ""
  /// Whether the settings accept it: it is remembered, and is listed only in `accepted.csv`.
  package var isAccepted = false
  /// The number of its records that do not count for later runs: lines that are not audited and that the server
  /// rejected, or a key's assertions in another log (`pipeline.R15`).
  package var unaccounted: UInt64 = 0
  /// The device identifier, where no key is known to belong to it; not part of the reports.
  var device: String?
}

extension Finding {
  /// The number of its record in its line, from 1.
  package var item: UInt16 {
    get { position.item }
    set { position.item = newValue }
  }

  package var countToRemember: UInt64 { count - min(count, unaccounted) }

  /// Makes a finding of which nothing is known but what it is.
  package init(
    _ code: FindingCode, _ severity: Severity, keyID: Digest256? = nil,
    at position: Position = Position(source: 0, line: 1), fingerprint: UInt64
  ) {
    self.init(
      severity: severity, code: code, keyID: keyID, position: position, fingerprint: fingerprint)
  }
}

package enum KeyStatus: UInt8, Sendable, CaseIterable {
  /// A key with a valid attestation in this run.
  case attested
  /// A key whose public key came from a list of known keys.
  case imported
  /// A key whose public key came from the state.
  case known
  /// A key all of whose attestations failed.
  case untrusted
  /// A key that has no attestation anywhere.
  case unknown

  /// The word of `keys.csv` and `summary.json`.
  package var name: String { Self.names[Int(rawValue)] }
  private static let names = allCases.map { "\($0)" }
}

/// One row of `keys.csv`. Times are milliseconds since 1970, UTC.
@dynamicMemberLookup package struct KeyRow: Sendable, Equatable {
  package var keyID: Digest256
  package var appID = ""
  package var environment: AttestEnvironment?
  package var status = KeyStatus.unknown
  package var attestedAt: Int64?
  package var firstSeen: Int64 = 0
  package var lastSeen: Int64 = 0
  package var attestations: UInt64 = 0
  package var assertions: UInt64 = 0
  package var verified: UInt64 = 0
  package var failed: UInt64 = 0
  package var firstCounter: UInt32?
  package var lastCounter: UInt32?
  package var missingCounters: UInt64?
  package var findings: UInt64 = 0
  package var worstSeverity: Severity?
  package var subject = ""
  package var facts = KeyFacts()

  package subscript<Value>(
    dynamicMember fact: any WritableKeyPath<KeyFacts, Value> & Sendable
  ) -> Value {
    get { facts[keyPath: fact] }
    set { facts[keyPath: fact] = newValue }
  }
}

extension KeyRow {
  /// Makes the row of a key of which nothing else is known.
  package init(_ keyID: Digest256, _ status: KeyStatus, firstSeen: Int64, lastSeen: Int64) {
    self.init(keyID: keyID, status: status, firstSeen: firstSeen, lastSeen: lastSeen)
  }
}

/// One row of `rejects.jsonl`: a line that could not be read as a record.
package struct RejectRow: Sendable, Equatable {
  package var position: Position
  /// The offset of the line's first byte in the decompressed stream.
  package var byteOffset: UInt64 = 0
  package var code = FindingCode.recordMalformedJSON
  /// One English sentence.
  package var reason = ""
  /// The first 256 bytes of the line, as they are.
  package var head: [UInt8] = []
}

/// Rejects as rows of their shuffle, in order of source and line.
extension RejectRow: CodedRow {
  /// Source and line.
  static let keyLength = 4 + 8

  package init() { self.init(position: Position(source: 0, line: 0)) }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.key(&position)
    try coder.number(&byteOffset)
    try coder.value(&code)
    try coder.text(&reason)
    var count = UInt16(head.count)
    try coder.number(&count)
    try coder.bytes(&head, count: Int(count))
  }
}

package enum Verdict: UInt8, Sendable, CaseIterable {
  /// An event that verified, and about which nothing above `info` was found.
  case valid
  /// An event that verified, and about which a finding above `info` was made.
  case flagged
  case failed
  /// An event whose key is unknown or untrusted.
  case unverifiable
  /// A line that is no record.
  case unreadable
  /// A line with nothing to audit in it.
  case skipped
  case challenge
  /// A line that was read before.
  case known

  /// The word of `verdicts.csv.zst`.
  package var name: String { Self.names[Int(rawValue)] }
  private static let names = allCases.map { "\($0)" }
}

/// One row of `verdicts.csv.zst`.
package struct VerdictRow: Sendable, Equatable {
  package var time: Int64?
  package var kind: RecordKind?
  package var keyID: Digest256?
  package var appID = ""
  package var clientDataHash: [UInt8] = []
  package var counter: UInt32?
  package var position: Position
  package var verdict: Verdict
  /// The codes found for the record, in the order of their names.
  package var codes: [FindingCode]
  package var decision = Decision.unknown
  /// The account or user that the record was made for.
  package var subject = ""
  package var requestID = ""
  /// The reason for which a line is unreadable or skipped: one English sentence.
  package var detail = ""
  package var category: ValidationCategory?
  /// The bundle version that the token carries, or an empty text.
  package var bundleVersion = ""
  /// The code hash that the token carries: at most 255 bytes, none if it carries none.
  package var codeHash: [UInt8] = []
}

/// One input of the run, as `summary.json` lists it.
package struct InputRow: Sendable, Equatable {
  /// The end of the reading of an input.
  package enum Status: String, Sendable, CaseIterable {
    case ok, duplicate, truncated, corrupt, unreadable
    /// A file that has not changed since an earlier run read it: it was not opened.
    case known
    /// A file that was rewritten while it was examined, and is left to a later run.
    case waiting
  }
  /// The path as given, or the name of standard input.
  package var source = ""
  package var bytes: UInt64 = 0
  package var decompressedBytes: UInt64 = 0
  package var lines: UInt64 = 0
  /// The lines that are no records; not part of the reports.
  package var unreadableLines: UInt64 = 0
  /// The lines that were read before; not part of the reports.
  package var knownLines: UInt64 = 0
  /// The lines that are blank; not part of the reports.
  package var blankLines: UInt64 = 0
  /// Its records by the hour at which they happened.
  package var hours = TimeBins(kinds: 1, limit: InputRow.hourLimit)
  /// The SHA-256 of the file as it was stored, or nil if it could not be read.
  package var sha256: Digest256?
  package var status = Status.ok
  /// Whether other inputs repair all of its damage; not part of the reports.
  package var isRepaired = false
  /// Whether its beginning was read before; not part of the reports.
  package var isGrown = false
  /// Whether the file is no longer what was read of it; not part of the reports.
  package var hasChanged = false

  /// The most hours that are told apart for one source, and for all sources together.
  private static let hourLimit = 4_400
  private static let hourLimitOfAll = 250_000

  /// Returns how many hours may be told apart for each of so many sources.
  static func hourLimit(sources: Int) -> Int {
    max(48, min(hourLimit, hourLimitOfAll / max(1, sources)))
  }

  /// Returns whether more than this share of the filled lines is unreadable (`reports.R47`).
  package func isMisread(above rate: Double) -> Bool {
    Double(unreadableLines) > rate * Double(filledLines)
  }

  package var filledLines: UInt64 { lines - min(blankLines, lines) }
}

extension InputRow {
  /// Makes the row of an input of which nothing else is known.
  package init(_ source: String, _ status: Status) {
    self.init(source: source, status: status)
  }
}

extension ReadInputs {
  /// Returns the sources that are another log (`pipeline.R15`), by the comparison of their lines and by what was read of
  /// the inputs, of which the first has the number `first`.
  package func otherLogs(
    _ inputs: [InputRow], from first: UInt32, above rate: Double
  ) -> Set<UInt32> {
    let misread = inputs.indices.filter { inputs[$0].isMisread(above: rate) }
    return Set(
      misread.map { first &+ UInt32(clamping: $0) }
        + entries.filter(\.isSetAside).map(\.input.source))
  }
}

@dynamicMemberLookup package struct AuditTotals: Sendable, Equatable {
  /// The lines, whose counts are read and set as if they stood here.
  package var records = RecordCounts()
  /// Records by verdict, indexed by `Verdict.rawValue`.
  package var verdicts = [UInt64](repeating: 0, count: Verdict.allCases.count)
  /// Keys by status, indexed by `KeyStatus.rawValue`.
  package var keys = [UInt64](repeating: 0, count: KeyStatus.allCases.count)
  /// Findings by severity, indexed by `Severity.rawValue`.
  package var findingsBySeverity = [UInt64](repeating: 0, count: Severity.allCases.count)
  /// Findings by code, indexed by `FindingCode.rawValue`.
  package var findingsByCode = [UInt64](repeating: 0, count: FindingCode.allCases.count)
  /// The worst severity that a code was found with, indexed by `FindingCode.rawValue`.
  package var worstByCode = [Severity?](repeating: nil, count: FindingCode.allCases.count)
  /// The counts of what each accepted finding kept out of the reports, in the settings' order.
  package var accepted: [AcceptedCount] = []

  package subscript(dynamicMember count: WritableKeyPath<RecordCounts, UInt64>) -> UInt64 {
    get { records[keyPath: count] }
    set { records[keyPath: count] = newValue }
  }
  package var spilledBytes: UInt64 = 0
  package var signatures = VerificationTally()
  /// The facts that explain findings, and those from which blind spots are computed.
  var signs = LogSigns()
  /// The apps of records that no setting names.
  package var unconfigured = UnconfiguredApps()

  package init() {}

  /// Whether no line was read as a record.
  package var hasNoRecords: Bool {
    records.attestations + records.assertions + records.challenges + records.deviceCheckTokens == 0
  }

  /// Adds keys by status, in the order of ``keys``.
  mutating func add(keys counts: [UInt64]) {
    for (status, count) in counts.enumerated() { keys[status] += count }
  }

  package var findings: UInt64 { findingsBySeverity.reduce(0, +) }
  package func count(_ verdict: Verdict) -> UInt64 { verdicts[Int(verdict.rawValue)] }

  package var acceptedFindings: UInt64 { accepted.reduce(0) { $0 + $1.count } }
}
