internal import AuditReport

/// One row of a report's `findings.jsonl`.
package struct ReportedFinding: Decodable, Sendable {
  package let severity: String
  package let code: String
  /// RFC 3339; nil where the finding has no time.
  package let time: String?
  package let kind: String?
  /// Lower-case hex.
  package let keyID: String?
  package let appID: String?
  /// Lower-case hex.
  package let clientDataHash: String?
  package let counter: UInt32?
  package let expected: UInt32?
  package let source: String
  /// 0 of a finding about a stream.
  package let line: UInt64
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
    case fingerprint, subject
    case keyID = "key_id"
    case appID = "app_id"
    case clientDataHash = "client_data_hash"
    case relatedSource = "related_source"
    case relatedLine = "related_line"
    case requestID = "request_id"
  }
}

/// What an investigation needs of a report's `summary.json`.
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

/// An input as a report's `summary.json` has it.
package struct ReportedInput: Decodable, Sendable {
  package let source: String
  /// Of the file as it lay there.
  package let bytes: UInt64
  package let sha256: String?
  package let status: String
}
