internal import AuditEngine

/// A form in which findings are written. CSV and JSON Lines are in every report.
package enum FindingFormat: String, Sendable, CaseIterable, Comparable {
  case csv, jsonl
  /// OCSF Detection Finding, one JSON object on each line.
  case ocsf
  /// Elastic Common Schema, one JSON object on each line.
  case ecs
  /// Events for a timeline of Timesketch, one JSON object on each line.
  case timesketch

  package var fileName: String {
    "findings.\(rawValue)" + (isInEveryReport ? "" : ".jsonl")
  }

  package var isInEveryReport: Bool { self == .csv || self == .jsonl }

  package static func < (left: FindingFormat, right: FindingFormat) -> Bool {
    left.fileName < right.fileName
  }
}

/// An event of Timesketch: three members of its own, and any others.
enum TimesketchEvent {
  static func tree(
    _ message: String, at time: Int64, of kind: String, _ members: [(String, JSONTree)]
  ) -> JSONTree {
    .object(
      [
        ("message", .string(message)), ("datetime", .time(time)),
        ("timestamp_desc", .string(kind)),
      ] + members)
  }
}
