package import AppAttest
package import AuditLog

/// The contents of one line of a log as owned values, for whoever examines single lines.
package struct DecodedRecord: Sendable {
  package var kind: RecordKind
  /// Whether neither the line nor a rule says the kind, and the fields show it.
  package var isKindInferred: Bool
  /// Milliseconds since 1970, UTC.
  package var time: Int64
  /// Whether its local time occurs twice.
  package var isAmbiguous: Bool
  package var keyID: Digest256?
  /// The text that names the device, where a schema looks for one.
  package var deviceID: [UInt8]?
  /// The decoded CBOR, or empty for challenges.
  package var token: [UInt8]
  /// The bytes that the clientDataHash is formed from, or nil if the line has only the hash.
  package var clientData: [UInt8]?
  /// Whether `clientData` is the clientDataHash itself, and not what it is the SHA-256 of.
  package var clientDataIsHash: Bool
  /// The clientDataHash that the line records, or nil if it has none.
  package var recordedHash: [UInt8]?
  /// The clientDataHash that all else is judged by.
  package var clientDataHash: [UInt8]
  package var appID: String?
  package var texts: [RequestText: String]
  package var decision: Decision
  /// The counter that the server had stored before the request.
  package var serverCounter: UInt32?
  /// The tolerances that reading the line as JSON needed.
  package var oddJSON: String?
  /// The names of the fields that only a lenient decoder could read.
  package var oddFields: [String]
  /// The beginning of the name of another platform or format that the line names.
  package var foreignName: String?

  /// Whether the client data contains U+FFFD, so that it may not be what the device signed.
  package var isLossy: Bool { clientData.map { $0.span.containsReplacementCharacter } ?? false }

  /// Whether the line records another clientDataHash than its client data has.
  package var isHashMismatch: Bool { recordedHash.map { $0 != clientDataHash } ?? false }
}

/// The result of decoding one line.
package enum DecodedLine: Sendable {
  case record(DecodedRecord)
  case reject(Reject)
  /// `holdsToken` says whether App Attest tokens are in it, so that it is `record.not_audited`.
  case skipped(SkipReason, holdsToken: Bool)
  case deviceCheckToken
}

/// A reader of single lines that reads them as the audit does. Each thread has its own.
package final class LineDecoder {
  private let reader: RecordReader
  private var buffer = ByteBuffer()
  /// The signs of the record that was decoded last, if it is none.
  package private(set) var signs: LineSigns = []

  package init(schema: CompiledSchema) {
    reader = RecordReader(
      schema: schema, isAppAttestObject: AppAttestSniffer.isAppAttestObject,
      tokenLength: AppAttestSniffer.tokenFront)
  }

  /// Reads a record of one line without its end: the first, or that of a number (`records.R86`).
  package func decode(_ line: [UInt8], item: UInt16 = 1) -> DecodedLine {
    let items = decodeAll(line, most: Int(max(1, item)))
    return items[items.count - 1]
  }

  /// Reads all records of one line without its end, or the first ones.
  package func decodeAll(_ line: [UInt8], most: Int = .max) -> [DecodedLine] {
    let padded = line + [UInt8](repeating: 0, count: LineBatch.padding)
    return unsafe padded.withUnsafeBufferPointer { bytes in
      let text = unsafe UnsafeBufferPointer(rebasing: bytes[..<line.count])
      var items: [DecodedLine] = []
      var next: RecordOutcome? = unsafe reader.read(text, into: &buffer)
      while let outcome = next {
        unsafe items.append(decoded(outcome, text))
        next = items.count < most ? reader.next(into: &buffer) : nil
      }
      return items
    }
  }

  private func decoded(
    _ outcome: RecordOutcome, _ line: UnsafeBufferPointer<UInt8>
  ) -> DecodedLine {
    signs = reader.signs(outcome)
    return switch outcome {
    case .reject(let reject): .reject(reject)
    case .skipped(let reason): .skipped(reason, holdsToken: unsafe reader.findsToken(in: line))
    case .deviceCheckToken: .deviceCheckToken
    case .record: .record(owned(reader.record))
    }
  }

  /// Calls `body` with each record of a line with ``LineBatch/padding`` bytes behind it.
  package func forEachRecord(
    _ line: UnsafeBufferPointer<UInt8>, _ body: (DecodedRecord) -> Void
  ) {
    var next: RecordOutcome? = unsafe reader.read(line, into: &buffer)
    while let outcome = next {
      if case .record = outcome { body(owned(reader.record)) }
      next = reader.next(into: &buffer)
    }
  }

  private func owned(_ record: Record) -> DecodedRecord {
    let hash = ClientDataHash(record, &buffer)
    func bytes(_ range: Range<Int>) -> [UInt8] { Array(buffer.storage[range]) }
    func text(_ range: Range<Int>?) -> String? {
      range.map { String(decoding: buffer.storage[$0], as: UTF8.self) }
    }
    return DecodedRecord(
      kind: record.kind, isKindInferred: record.isKindInferred, time: record.time,
      isAmbiguous: record.ambiguity != 0,
      keyID: record.keyID.flatMap { Digest256(bytes($0)) },
      deviceID: record.deviceID.map(bytes), token: bytes(record.token),
      clientData: record.clientData.map(bytes), clientDataIsHash: record.clientDataIsHash,
      recordedHash: record.clientDataHash.map(bytes), clientDataHash: bytes(hash.range),
      appID: text(record.appID),
      texts: Dictionary(
        uniqueKeysWithValues: RequestText.allCases.compactMap { name in
          text(record[name]).map { (name, $0) }
        }), decision: record.decision,
      serverCounter: record.serverCounter, oddJSON: text(record.oddJSON),
      oddFields: record.oddFieldNames,
      foreignName: text(record.foreignName))
  }
}
