internal import AppAttest
package import AuditEngine

/// A finding as reports have it: with the names of inputs and, with a state, its earlier reports.
package struct ReportedFinding: Sendable {
  package var finding: Finding
  package var source: String
  /// The name of the related event's input, or an empty text.
  package var relatedSource = ""
  /// It counts this run as well. It is nil without a state.
  package var sighting: Sighting?

  init(_ finding: Finding, _ sighting: Sighting?, _ sources: SourceNames) {
    self.finding = finding
    self.sighting = sighting
    source = sources[finding.position.source]
    if let related = finding.related { relatedSource = sources[related.source] }
  }

  init() {
    finding = Finding(.recordMalformedJSON, .info, at: Position(source: 0, line: 0), fingerprint: 0)
    source = ""
  }

  /// Whether it is new (`reports.R52`), or nil if there is no state.
  var isNew: Bool? { sighting.map { $0.times == 1 || $0.isNewAgain } }

  /// The place of the finding: its input, and the line unless it is about the whole input.
  package var place: String {
    finding.position.line > 0 ? "\(source):\(finding.position.line)" : source
  }

  fileprivate var item: UInt16? {
    get { finding.kind == nil ? nil : finding.item }
    set { finding.item = newValue ?? 1 }
  }

  fileprivate var relatedLine: UInt64? {
    get { finding.related?.line }
    set { finding.related = newValue.map { Position(source: 0, line: $0) } }
  }

  fileprivate var firstSeen: String {
    get { sighting?.firstSeen ?? "" }
    set { sighting = Sighting(firstSeen: newValue, times: sighting?.times ?? 1) }
  }

  fileprivate var timesSeen: UInt64? {
    get { sighting?.times }
    set { sighting = newValue.map { Sighting(firstSeen: firstSeen, times: $0) } }
  }
}

extension ReportedFinding {
  package init(_ finding: Finding, source: String, line: UInt64) {
    self.finding = finding
    self.finding.position.source = 0
    self.finding.position.line = line
    self.source = source
  }

  /// Returns the columns of the record itself, and the code, that differ and are known on both sides.
  package func recordColumns(differingFrom other: ReportedFinding) -> [String] {
    FindingColumns.record.filter { column in
      let value = column.value(self)
      return FindingColumns.ofRecord.contains(column.name) && value != .none && value != .text("")
        && value != column.value(other)
    }
    .map(\.name)
  }
}

/// The columns of `findings.csv`, `findings.jsonl`, `accepted.csv` and `withdrawn.csv`.
enum FindingColumns {
  static let plain = Columns(record)
  static let withState = Columns(record + state)

  static func columns(hasState: Bool) -> Columns<ReportedFinding> { hasState ? withState : plain }

  fileprivate static let ofRecord: Set = [
    "code", "time", "kind", "key_id", "app_id", "client_data_hash", "counter", "source", "line",
    "item",
    "request_id", "decision", "subject", "client_ip", "user_agent", "route",
  ]

  fileprivate static let record: [Column<ReportedFinding>] = [
    Column.word("severity", "how severe it is", \.finding.severity).required,
    Column.word("code", "what was found", \.finding.code).required,
    .time("time", "the time of the record", \.finding.time),
    .word("kind", "attestation, assertion or challenge", \.finding.kind),
    .hex("key_id", "the key identifier", \.finding.keyID),
    .text("app_id", "the App ID", \.finding.appID),
    .hex("client_data_hash", "the clientDataHash", \.finding.clientDataHash),
    .number("counter", "the sign counter of the record", \.finding.counter),
    .number("expected", "the counter that was expected", \.finding.expected),
    .path("source", "the input", \.source),
    .number(
      "line", "the line in the decompressed input; 0 for a whole input", \.finding.position.line),
    .path("related_source", "the input of the related event", \.relatedSource),
    .number("related_line", "the line of the related event", \.relatedLine),
    .number("count", "the number of records that the finding is about", \.finding.count),
    .text("request_id", "the request identifier", \.finding.requestID),
    .word("decision", "what the server did with the request", \.finding.decision),
    .text("detail", "one sentence with the values that were expected and found", \.finding.detail),
    Column.fingerprint(
      "fingerprint", "16 hex digits that stay the same from run to run", \.finding.fingerprint
    ).required,
    .text("subject", "the account or user", \.finding.subject),
    .derived("key_id_base64", "the key identifier in base64") { $0.finding.keyID.base64 },
    .number(
      "item", "the number of the record in its line; empty for a line that is not a record", \.item),
    .time("related_time", "the time of the related event", \.finding.relatedTime),
    .hex("related_key_id", "the key of the related event", \.finding.relatedKeyID),
    .text("client_ip", "the client's address", \.finding.clientIP),
    .text("user_agent", "the client's name of itself", \.finding.userAgent),
    .text("route", "the route of the request", \.finding.route),
  ]

  private static let state: [Column<ReportedFinding>] = [
    .text("first_seen", "the first day on which the finding was reported", \.firstSeen),
    .number("times_seen", "the number of runs that reported it, this one too", \.timesSeen),
  ]
}

extension Digest256? {
  var base64: ColumnValue { map { .base64($0) } ?? .none }
}
