/// A form in which findings are written: CSV and JSON Lines, which are in every report, and for other programs one JSON
/// object on each line, as OCSF Detection Finding, in the Elastic Common Schema, or as an event of Timesketch.
package enum FindingFormat: String, Sendable, CaseIterable, Comparable {
  case csv, jsonl, ocsf, ecs, timesketch

  package var fileName: String { "findings.\(rawValue)" + (isInEveryReport ? "" : ".jsonl") }

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
