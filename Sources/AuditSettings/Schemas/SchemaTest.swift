package import AuditLog

/// A line, and the expected result of reading it.
package struct SchemaTest: Sendable, Equatable {
  package enum Expectation: Sendable, Equatable {
    case skipped
    case deviceCheckToken
    case reject(Reject.Code)
    /// A record with these fields at least.
    case record(ExpectedRecord)
  }
  /// The name for messages.
  package var name: String
  /// The line without its end.
  package var line: [UInt8]
  package var expectation: Expectation
  /// The place of the test, such as `capgo.yaml:41`.
  package var origin: String
}

/// Fields of a record that a test names. A field that it does not name is nil.
package struct ExpectedRecord: Sendable, Equatable {
  package var kind: RecordKind?
  /// The time in milliseconds since 1970.
  package var time: Int64?
  package var decision: Decision?
  package var serverCounter: UInt32?
  /// The bytes of other fields, in the order of the file.
  package var bytes: [Bytes] = []

  package struct Bytes: Sendable, Equatable {
    package var field: LogField
    package var value: [UInt8]
    /// Whether the bytes are shown as text.
    package var isText: Bool
  }
}

extension Reject.Code {
  /// The codes with their names in the reports.
  package static let names: [(name: String, code: Reject.Code)] = [
    ("record.malformed_json", .malformedJSON), ("record.missing_field", .missingField),
    ("record.bad_encoding", .badEncoding), ("record.ambiguous_field", .ambiguousField),
  ]

  /// The name in the reports.
  package var name: String { Self.names.first { $0.code == self }?.name ?? "" }
}
