package import AuditLog

/// A line, and what it has to be read as.
package struct SchemaTest: Sendable, Equatable {
  package enum Expectation: Sendable, Equatable {
    case skipped
    case deviceCheckToken
    case reject(Reject.Code)
    /// A record with these fields at least.
    case record(ExpectedRecord)
  }
  /// For messages.
  package var name: String
  /// Without its end.
  package var line: [UInt8]
  package var expectation: Expectation
  /// Where it stands: `capgo.yaml:41`.
  package var origin: String
}

/// Fields of a record as a test names them; nil is what it does not name.
package struct ExpectedRecord: Sendable, Equatable {
  package var kind: RecordKind?
  /// Milliseconds since 1970.
  package var time: Int64?
  package var decision: Decision?
  package var serverCounter: UInt32?
  /// The bytes of other fields, in the order of the file.
  package var bytes: [Bytes] = []

  package struct Bytes: Sendable, Equatable {
    package var field: LogField
    package var value: [UInt8]
    /// True where people read it as text.
    package var isText: Bool
  }
}

extension Reject.Code {
  /// The codes by the names that reports give them.
  package static let names: [(name: String, code: Reject.Code)] = [
    ("record.malformed_json", .malformedJSON), ("record.missing_field", .missingField),
    ("record.bad_encoding", .badEncoding), ("record.ambiguous_field", .ambiguousField),
  ]

  /// The name in the reports.
  package var name: String { Self.names.first { $0.code == self }?.name ?? "" }
}
