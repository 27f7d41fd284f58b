import AuditLog

/// A line, and what it has to be read as.
struct SchemaTest: Sendable, Equatable {
  enum Expectation: Sendable, Equatable {
    case skipped
    case deviceCheckToken
    case reject(Reject.Code)
    /// A record with these fields at least.
    case record(ExpectedRecord)
  }
  /// For messages.
  var name: String
  /// Without its end.
  var line: [UInt8]
  var expectation: Expectation
  /// Where it stands: `capgo.yaml:41`.
  var origin: String
}

/// Fields of a record as a test names them; nil is what it does not name.
struct ExpectedRecord: Sendable, Equatable {
  var kind: LogRecordKind?
  /// Milliseconds since 1970.
  var time: Int64?
  var decision: LogDecision?
  var serverCounter: UInt32?
  /// The bytes of other fields, in the order of the file.
  var bytes: [Bytes] = []

  struct Bytes: Sendable, Equatable {
    var field: LogField
    var value: [UInt8]
    /// Whether people read it as text.
    var isText: Bool
  }
}

extension Reject.Code {
  /// The codes by the names that reports give them.
  static let names: [(name: String, code: Reject.Code)] = [
    ("record.malformed_json", .malformedJSON), ("record.missing_field", .missingField),
    ("record.bad_encoding", .badEncoding), ("record.ambiguous_field", .ambiguousField),
  ]

  /// The name in the reports.
  var name: String { Self.names.first { $0.code == self }?.name ?? "" }
}
