internal import AuditReport

/// One row of a report's `findings.jsonl`.
package struct ReportedFinding: Decodable, Sendable {
  package let severity: String
  package let code: String
  /// The time in RFC 3339, or nil if the finding has none.
  package let time: String?
  package let kind: String?
  /// The key identifier in lower-case hex.
  package let keyID: String?
  package let appID: String?
  /// The clientDataHash in lower-case hex.
  package let clientDataHash: String?
  package let counter: UInt32?
  package let expected: UInt32?
  package let source: String
  /// The number of the line, or 0 for a finding about a stream.
  package let line: UInt64
  /// The number of the record in its line, or nil in reports that do not have it.
  package let item: UInt16?
  package let relatedSource: String?
  package let relatedLine: UInt64?
  package let count: UInt64
  package let requestID: String?
  package let decision: String?
  package let detail: String?
  package let fingerprint: String
  package let subject: String?

  private enum CodingKeys: String, CodingKey {
    case severity, code, time, kind, counter, expected, source, line, count, decision, detail
    case fingerprint, subject, item
    case keyID = "key_id"
    case appID = "app_id"
    case clientDataHash = "client_data_hash"
    case relatedSource = "related_source"
    case relatedLine = "related_line"
    case requestID = "request_id"
  }
}

/// The parts of a report's `summary.json` that an investigation needs.
struct ReportedSummary: Decodable {
  struct Tool: Decodable {
    let name: String
    let version: String
  }
  struct Run: Decodable {
    let id: String
    let pipeline: String?
    let startedAt: String
    let settings: RecordedSettings?
  }
  let tool: Tool
  let run: Run
  let inputs: [ReportedInput]
}

/// An input in a report's `summary.json`.
package struct ReportedInput: Decodable, Sendable {
  package let source: String
  /// The size of the file as it was stored.
  package let bytes: UInt64
  package let sha256: String?
  package let status: String
}
