internal import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics

/// The file `findings.ecs.jsonl`: findings in the fields of the Elastic Common Schema, one JSON
/// object on each line.
///
/// A document needs `@timestamp`: the beginning of 1970 stands for an unknown time.
struct ECSLines: FindingWriter {
  /// The version of the schema.
  static let schemaVersion = "8.11.0"
  /// The name of the program's own field, which contains all columns of `findings.csv`.
  private static let ownField = "attest_audit"

  func write(
    _ finding: Finding, _ sighting: Sighting?, sources: SourceNames, to rows: inout RowBuffer
  ) {
    let entry = finding.code.entry
    let source = sources[finding.position.source]
    JSONTree.object([
      ("@timestamp", .string(CivilTime(milliseconds: finding.time ?? 0).text)),
      ("ecs", .object([("version", .string(Self.schemaVersion))])),
      ("message", .string(finding.detail)),
      (
        "event",
        .object([
          ("kind", .string("alert")), ("category", .array([.string("intrusion_detection")])),
          ("type", .array([.string(Self.type(finding.decision))])),
          ("outcome", .string(Self.outcome(finding.decision))),
          ("module", .string(Self.ownField)), ("dataset", .string("\(Self.ownField).findings")),
          ("provider", .string(Tool.name)), ("code", .string(entry.name)),
          ("id", .string(Fingerprint.text(finding.fingerprint))),
          ("severity", .number(UInt64(finding.severity.rawValue) + 1)),
          ("reason", .string(entry.meaning)),
        ])
      ),
      (
        "rule",
        .object([
          ("id", .string(entry.name)), ("name", .string(entry.title)),
          ("category", .string(String(entry.family))), ("description", .string(entry.meaning)),
        ])
      ),
      (
        "log",
        .object([
          ("level", .string(finding.severity.name)),
          ("file", .object([("path", .string(source))])),
          (
            "origin",
            .object([("file", .object([("line", Self.line(finding))]))])
          ),
        ])
      ),
      ("user", .object([("id", .string(finding.subject))])),
      ("http", .object([("request", .object([("id", .string(finding.requestID))]))])),
      ("service", .object([("name", .string(finding.appID))])),
      (
        "observer",
        .object([
          ("product", .string(Tool.name)), ("type", .string("log audit")),
          ("version", .string(Tool.version)),
        ])
      ),
      (Self.ownField, FindingMembers.tree(finding, sighting, sources: sources)),
    ]).writeLine(to: &rows)
    rows.append(ascii: "\n")
  }

  private static func line(_ finding: Finding) -> JSONTree {
    finding.position.line > 0 ? .number(finding.position.line) : .null
  }

  private static func type(_ decision: Decision) -> String {
    switch decision {
    case .unknown: "info"
    case .accepted: "allowed"
    case .rejected: "denied"
    }
  }

  private static func outcome(_ decision: Decision) -> String {
    switch decision {
    case .unknown: "unknown"
    case .accepted: "success"
    case .rejected: "failure"
    }
  }
}
