import AppAttest
import AuditLog
import Basics
import Files
import LogForge
import TestSupport
import Testing

@testable import AuditEngine

/// A record as a reader hands it on, with the bytes that its ranges are into.
struct StagedRecord {
  var record: Record
  private(set) var bytes: [UInt8]
  /// The number of its line in the log, whose source is 0.
  var line: UInt64 = 0

  /// Reads a line of the default schema.
  init(line: String) throws {
    let reader = RecordReader(isAppAttestObject: AppAttestSniffer.isAppAttestObject)
    var buffer = ByteBuffer()
    let outcome = withLine(Array(line.utf8)) { unsafe reader.read($0, into: &buffer) }
    guard case .record = outcome else {
      throw AuditError(.inconsistent, "a line of the synthetic day is no record")
    }
    record = reader.record
    bytes = Array(buffer.storage[..<buffer.count])
  }

  /// The key identifier that the record has.
  var keyID: Digest256? { record.keyID.flatMap { Digest256(bytes[$0].span) } }

  /// Adds bytes that a field can be.
  mutating func add(_ field: [UInt8]) -> Range<Int> {
    bytes += field
    return (bytes.count - field.count)..<bytes.count
  }

  /// Returns the same record at another time, in milliseconds.
  func at(_ time: Int64) -> StagedRecord {
    var copy = self
    copy.record.time = time
    return copy
  }

  /// Returns the same record with a device: an attestation names it beside its key, an assertion in
  /// place of it.
  func of(_ device: String, besideKey: Bool = false) -> StagedRecord {
    var copy = self
    copy.record.deviceID = copy.add(Array(device.utf8))
    if record.kind == .assertion, !besideKey { copy.record.keyID = nil }
    return copy
  }

  /// Returns the same record with the counter that the server had stored.
  func stored(_ counter: UInt32?) -> StagedRecord {
    var copy = self
    copy.record.serverCounter = counter
    return copy
  }

  /// Returns the same record with another decision.
  func decided(_ decision: Decision) -> StagedRecord {
    var copy = self
    copy.record.decision = decision
    return copy
  }

  /// An attestation that fails: for another challenge.
  var failing: StagedRecord {
    var copy = self
    copy.record.clientDataHash = nil
    copy.record.clientData = copy.add(Array("another challenge, long enough".utf8))
    return copy
  }

  /// The same record with a token that is malformed.
  var malformed: StagedRecord {
    var copy = self
    copy.record.token = copy.add([0xA0])
    return copy
  }
}

/// One key of the synthetic day with its records.
struct StagedKey {
  let keyID: Digest256
  let attestation: StagedRecord
  /// With counters 1, 2, 3 and so on.
  let assertions: [StagedRecord]

  var time: Int64 { attestation.record.time }

  /// The keys, in the order of their attestation, with plain records: no subject, request
  /// identifier or decision.
  static let all = made { try day.staged() }

  /// The synthetic day that the keys come from.
  fileprivate static let day = made { try SyntheticDay(keys: 3, assertions: 90, seed: 5) }

  /// Returns the key as a list has it.
  func known(
    _ device: String? = nil, lastCounter: UInt32? = nil
  ) throws -> KnownKey {
    // What the key's own attestation says, read by an audit of it alone.
    let row = try #require(try StagedAudit().run([attestation]).keys.first)
    let bytes = attestation.bytes
    // The 65 bytes whose SHA-256 the key identifier is.
    let point = bytes.indices.lazy.filter { bytes[$0] == 4 && $0 + 65 <= bytes.count }
      .map { Array(bytes[$0..<($0 + 65)]) }.first { Digest256.sha256($0.span) == keyID }
    return KnownKey(
      keyID: keyID, publicKey: try #require(point), appID: row.appID, lastCounter: lastCounter,
      deviceID: device)
  }
}

extension SyntheticDay {
  fileprivate func staged() throws -> [StagedKey] {
    var records: [Digest256: [StagedRecord]] = [:]
    for line in lines {
      var staged = try StagedRecord(line: line)
      staged.record[.subject] = nil
      staged.record[.requestID] = nil
      staged.record.decision = .unknown
      let keyID = try #require(staged.keyID)
      records[keyID, default: []].append(staged)
    }
    return try records.map { keyID, records in
      let attestation = records.first { $0.record.kind == .attestation }
      let assertions = records.filter { $0.record.kind == .assertion }
      return StagedKey(
        keyID: keyID, attestation: try #require(attestation), assertions: assertions)
    }.sorted { $0.time < $1.time }
  }
}

/// All stages of an audit but the reading of lines, over records.
struct StagedAudit {
  var detection = DetectionPolicy()
  var knownKeys: [KnownKey] = []
  var jobs = 2
  var joinsDevices = true
  /// The memory that earlier runs left.
  var history: RunMemory?

  /// The results of an audit.
  struct Outcome: Equatable {
    var findings: [Finding] = []
    var keys: [KeyRow] = []
    var verdicts: [VerdictRow] = []
    /// Keys by status.
    var keyCounts: [UInt64] = []
    /// Verdicts: valid or flagged, failed, unverifiable.
    var counts: [UInt64] = []
    var closed: [ClosedFinding] = []

    /// Each as `severity code line`, and `xN` where it stands for more than one record.
    var codes: [String] {
      findings.map {
        "\($0.severity.name) \($0.code.name) \($0.position.line)"
          + ($0.count > 1 ? " x\($0.count)" : "")
      }
    }

    /// The key that each line's verdict names, by line.
    var owners: [UInt64: Digest256?] {
      Dictionary(uniqueKeysWithValues: verdicts.map { ($0.position.line, $0.keyID) })
    }
  }

  /// A schema whose rules name devices.
  private static func naming() throws -> CompiledSchema {
    let device = FieldMapping(.pointers([JSONPointer(["device"])]))
    let rule = SchemaRule(name: "r", kind: .inferred, fields: [.deviceId: device])
    return try CompiledSchema(LogSchema(name: "devices", rules: [rule]))
  }

  /// Audits records, whose lines are their places unless they say otherwise.
  func run(_ records: [StagedRecord]) throws -> Outcome {
    let scratch = try Scratch()
    var configuration = AuditConfiguration(
      inputs: [], apps: [], trustAnchors: [], receiptAnchors: [],
      limits: AuditLimits(memory: 64 << 20, jobs: jobs, tempDirectory: scratch.path))
    configuration.detection = detection
    configuration.knownKeys = knownKeys
    configuration.history = history
    configuration.verdicts = true
    configuration.verification.verifier = .openssl
    if joinsDevices { configuration.schema = try Self.naming() }
    let run = AuditRun(
      configuration: configuration,
      verifier: try StagedKey.day.verifier(
        [
          AppPolicy(id: SyntheticApp.bank.id, environments: [.production, .development]),
          AppPolicy(id: SyntheticApp.game.id, environments: [.production]),
        ], receipts: .ignore), sources: [], numbers: [],
      key: LineKey(), state: Cancellation<AuditError>(), progress: AuditProgress(), notice: { _ in }
    )
    let parts = try RunParts(run, names: [])
    let decoders = (0..<jobs).map { EventDecoder(run, parts, worker: $0) }
    for (index, staged) in records.enumerated() {
      var buffer = ByteBuffer()
      buffer.append(staged.bytes.span)
      let line = staged.line == 0 ? UInt64(index) + 1 : staged.line
      try decoders[index % jobs].decode(
        staged.record, &buffer, at: Position(source: history?.firstSource ?? 0, line: line))
    }
    let result = try run.judge(parts, ["log"], [], AuditTotals(), nil)
    var outcome = Outcome()
    outcome.keyCounts = result.totals.keys
    let counts = result.totals.verdicts
    outcome.counts = [counts[0] + counts[1], counts[2], counts[3]]
    outcome.closed = parts.withdrawals.first
    try result.forEachFinding { outcome.findings.append($0) }
    try result.forEachKey { outcome.keys.append($0) }
    try result.forEachVerdict { outcome.verdicts.append($0) }
    return outcome
  }
}
