import Testing

@testable import AuditLog

/// The result of reading a line, copied out of the reader's memory.
struct ReadRecord: Equatable {
  /// The kind of record, `skipped`, or the code of the reject.
  var outcome: String
  var time: Int64 = 0
  var keyID: [UInt8]?
  var token: [UInt8] = []
  var clientData: [UInt8]?
  var hash: [UInt8]?
  var isChallenge = false
  var appID: String?
  var subject: String?
  var requestID: String?
  var decision = Decision.unknown
  var isMismatch = false
  var deviceID: String?
  var serverCounter: UInt32?
  var dataIsHash = false
  var reason = ""
  /// The fields that only a lenient decoder reads.
  var odd: [String] = []
  var isInferred = false
}

/// Reads a line; App Attest's objects begin with A1 here.
func readRecord(
  _ line: [UInt8], _ buffer: inout ByteBuffer,
  _ reader: RecordReader = RecordReader { $0.count > 0 && $0[0] == 0xA1 }
) -> ReadRecord {
  return withLine(line) { text in
    switch unsafe reader.read(text, into: &buffer) {
    case .skipped: return ReadRecord(outcome: "skipped")
    case .deviceCheckToken: return ReadRecord(outcome: "deviceCheckToken")
    case .reject(let reject):
      #expect(reject.reason.hasSuffix("."))
      return ReadRecord(
        outcome: "\(reject.code)", decision: reject.decision, reason: reject.reason)
    case .record(let record):
      func bytes(_ range: Range<Int>?) -> [UInt8]? {
        range.map { Array(buffer.storage[..<buffer.count][$0]) }
      }
      func string(_ range: Range<Int>?) -> String? {
        bytes(range).map { String(decoding: $0, as: UTF8.self) }
      }
      return ReadRecord(
        outcome: "\(record.kind)", time: record.time, keyID: bytes(record.keyID),
        token: bytes(record.token) ?? [], clientData: bytes(record.clientData),
        hash: bytes(record.clientDataHash), isChallenge: record.isChallenge,
        appID: string(record.appID), subject: string(record.subject),
        requestID: string(record.requestID), decision: record.decision,
        isMismatch: record.hasPlatformMismatch, deviceID: string(record.deviceID),
        serverCounter: record.serverCounter, dataIsHash: record.clientDataIsHash,
        odd: record.oddFieldNames, isInferred: record.isKindInferred)
    }
  }
}

func readRecord(_ line: String) -> ReadRecord {
  var buffer = ByteBuffer()
  return readRecord(Array(line.utf8), &buffer)
}

/// Reads a record of these members behind a time, a key and a token.
func record(_ members: String) -> ReadRecord {
  readRecord("{\(base),\(members)}")
}

let sampleKey = String(repeating: "A", count: 43) + "="
let base = "\"time\":1,\"keyId\":\"\(sampleKey)\",\"token\":\"oA==\""
func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }
