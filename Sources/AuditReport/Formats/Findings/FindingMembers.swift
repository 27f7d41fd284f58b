internal import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics

/// The columns of `findings.csv` as members of a JSON object, for formats that have a place for
/// fields of other schemas.
enum FindingMembers {
  static func tree(
    _ finding: Finding, _ sighting: Sighting?, sources: SourceNames
  ) -> JSONTree {
    .object([
      ("severity", .string(finding.severity.name)), ("code", .string(finding.code.name)),
      ("time", time(finding)), ("kind", .string(finding.kind?.name ?? "")),
      ("key_id", .string(finding.keyID?.hex ?? "")), ("app_id", .string(finding.appID)),
      ("client_data_hash", .string(Hex.text(finding.clientDataHash))),
      ("counter", number(finding.counter)), ("expected", number(finding.expected)),
      ("source", .string(sources[finding.position.source])),
      ("line", .number(finding.position.line)),
      ("related_source", .string(finding.related.map { sources[$0.source] } ?? "")),
      ("related_line", finding.related.map { .number($0.line) } ?? .null),
      ("count", .number(finding.count)), ("request_id", .string(finding.requestID)),
      ("decision", .string(finding.decision.name)), ("detail", .string(finding.detail)),
      ("fingerprint", .string(Fingerprint.text(finding.fingerprint))),
      ("subject", .string(finding.subject)),
      ("key_id_base64", finding.keyID.map { .string(Base64Text.text($0.bytes)) } ?? .null),
      ("first_seen", .string(sighting?.firstSeen ?? "")),
      ("times_seen", sighting.map { .number($0.times) } ?? .null),
    ])
  }

  /// Returns the time in the form of reports.
  static func time(_ finding: Finding) -> JSONTree {
    finding.time.map { .string(CivilTime(milliseconds: $0).text) } ?? .null
  }

  private static func number(_ value: UInt32?) -> JSONTree {
    value.map { .number(UInt64($0)) } ?? .null
  }

}
