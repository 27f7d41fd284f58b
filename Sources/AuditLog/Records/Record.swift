/// The kind that a record has.
public enum RecordKind: UInt8, Sendable, CaseIterable {
  case attestation, assertion, challenge

  package var name: String {
    switch self {
    case .attestation: "attestation"
    case .assertion: "assertion"
    case .challenge: "challenge"
    }
  }
}

/// The server's decision about a request, as the log says it.
public enum Decision: UInt8, Sendable, CaseIterable {
  case unknown, accepted, rejected

  /// The word of logs and reports, or empty if the log has none.
  package var name: String {
    switch self {
    case .unknown: ""
    case .accepted: "accepted"
    case .rejected: "rejected"
    }
  }
}

/// An optional range of a ``ByteBuffer`` in half the bytes: a record has many. No line has 4 GiB.
@propertyWrapper @usableFromInline
package struct BufferRange: Sendable {
  @usableFromInline var start: UInt32
  /// The end, or less than `start` if there is no range.
  @usableFromInline var end: UInt32

  @inlinable
  package init(wrappedValue range: Range<Int>?) {
    start = range.map { UInt32(clamping: $0.lowerBound) } ?? 1
    end = range.map { UInt32(clamping: $0.upperBound) } ?? 0
  }

  @inlinable
  package var wrappedValue: Range<Int>? {
    get { start <= end ? Int(start)..<Int(end) : nil }
    set { self = BufferRange(wrappedValue: newValue) }
  }
}

/// The mapped fields of one line, as ranges of the ``ByteBuffer`` into which it was read last.
@usableFromInline
package struct Record: Sendable {
  /// Milliseconds since 1970, UTC.
  package var time: Int64 = 0
  /// The time that the line states, in milliseconds since 1970: the end, if the record has a duration.
  var statedTime: Int64 = 0
  /// Milliseconds between the two instants that a local time can mean (`records.R88`), or 0.
  package var ambiguity: Int64 = 0
  package var kind = RecordKind.assertion
  /// Whether neither the line nor a rule says the kind, and the fields show it.
  package var isKindInferred = false
  /// The key identifier, 32 bytes. It is nil for challenges and assertions that name only a device.
  @inlinable @BufferRange package var keyID: Range<Int>?
  /// The text that names the device, if a schema maps it. An assertion with it can lack `keyID`.
  @inlinable @BufferRange package var deviceID: Range<Int>?
  /// The counter that the server had stored before the request.
  package var serverCounter: UInt32?
  /// The decoded CBOR, or empty for challenges.
  package var token: Range<Int> = 0..<0
  /// The bytes whose SHA-256 is the clientDataHash: a text's UTF-8, or decoded client data.
  @inlinable @BufferRange package var clientData: Range<Int>?
  /// Whether `clientData` is the clientDataHash itself, and not what it is the SHA-256 of.
  package var clientDataIsHash = false
  /// The recorded clientDataHash, 16 to 255 bytes.
  @inlinable @BufferRange package var clientDataHash: Range<Int>?
  /// Whether `clientData` came from the field `challenge`.
  package var isChallenge = false
  @inlinable @BufferRange package var appID: Range<Int>?
  /// The texts that reports show, by ``RequestText/rawValue``.
  @usableFromInline
  var texts = InlineArray<5, BufferRange>(repeating: BufferRange(wrappedValue: nil))
  package var decision = Decision.unknown
  /// Whether the record names another platform or format, although its token is App Attest's.
  package var hasPlatformMismatch = false
  @inlinable @BufferRange package var foreignName: Range<Int>?
  /// The tolerances that reading the line needed, as a text (`records.R80`).
  @inlinable @BufferRange package var oddJSON: Range<Int>?
  /// The fields that only a lenient decoder could read.
  @usableFromInline var oddFields = FieldSet()
  /// A number that is equal for records that agree in every mapped field (``LineKey``).
  package var digest: UInt64 = 0

  @inlinable
  package subscript(text: RequestText) -> Range<Int>? {
    get { texts[text.rawValue].wrappedValue }
    set { texts[text.rawValue].wrappedValue = newValue }
  }

  @inlinable package var isOdd: Bool { oddFields.rawValue != 0 }

  package var oddFieldNames: [String] {
    LogField.allCases.filter { oddFields.contains(FieldSet($0)) }.map(\.name)
  }
}

/// The reason for which a line is no record.
package struct Reject: Error, Equatable {
  /// The `record.*` code.
  package enum Code: UInt8, Sendable {
    case malformedJSON, missingField, badEncoding, ambiguousField
  }
  package var code: Code
  /// One English sentence.
  package var reason: String
  /// The line's words about it, if they could be read all the same.
  package var decision = Decision.unknown
  /// Whether the field `token` is present and not `null`.
  package var hasToken = false
  /// Whether the text ends before its object does.
  var endsEarly = false

  package init(
    _ code: Code, _ reason: String, decision: Decision = .unknown, hasToken: Bool = false
  ) {
    self.code = code
    self.reason = reason
    self.decision = decision
    self.hasToken = hasToken
  }
}

extension Reject {
  /// Makes the reject of a text that is not one JSON object, `start` bytes into the line.
  init(_ failure: JSONLine.Failure, after start: Int = 0) {
    self.init(.malformedJSON, failure.reason(after: start))
    if case .endsEarly = failure { endsEarly = true }
  }

  /// Returns the sentence about a field that occurs twice, or (`isVariant`) in another case.
  static func twice(_ name: String, isVariant: Bool) -> String {
    isVariant
      ? "The field \(name) is beside a name that differs only in case."
      : "The field \(name) occurs twice."
  }
}

/// The reason for which there is nothing to audit in a line.
package enum SkipReason: Sendable {
  case noRule, otherPlatform
  /// A line without the array of records, or with an empty one.
  case noRecords
  /// An element of the array that is neither an object nor a string with one.
  case noRecord

  /// One English sentence.
  package var text: String {
    switch self {
    case .noRule: "No rule of the schema fits the line."
    case .noRecords: "The line has no records at the pointers of the schema's 'records'."
    case .noRecord: "The element of the records is neither an object nor a string with one."
    case .otherPlatform: "The record is of another platform or format, and so is its token."
    }
  }
}

package enum RecordOutcome: Sendable {
  /// A record of that kind and time, all of which is ``RecordReader/record``.
  case record(RecordKind, time: Int64)
  case reject(Reject)
  case skipped(SkipReason)
  /// A DeviceCheck token, in which there is nothing to verify offline.
  case deviceCheckToken
}
