internal import AuditEngine
internal import Basics

/// A form in which findings are written. CSV and JSON Lines are in every report.
package enum FindingFormat: String, Sendable, CaseIterable, Comparable {
  case csv, jsonl
  /// OCSF Detection Finding, one JSON object on each line.
  case ocsf
  /// Elastic Common Schema, one JSON object on each line.
  case ecs
  /// Events for a timeline of Timesketch, one JSON object on each line.
  case timesketch

  /// The name of the file in a report.
  package var fileName: String {
    switch self {
    case .csv: "findings.csv"
    case .jsonl: "findings.jsonl"
    case .ocsf: "findings.ocsf.jsonl"
    case .ecs: "findings.ecs.jsonl"
    case .timesketch: "findings.timesketch.jsonl"
    }
  }

  /// Whether every report has a file of the format.
  package var isInEveryReport: Bool { self == .csv || self == .jsonl }

  package static func < (left: FindingFormat, right: FindingFormat) -> Bool {
    left.fileName < right.fileName
  }
}

/// A writer of findings in one format.
struct FindingWriter {
  let format: FindingFormat
  let columns: Columns<ReportedFinding>
  /// The time for findings without one, in formats that require it: the beginning of the run's day.
  let dayTime: Int64

  /// Makes a writer. `day` is the day that the run is about, or empty if it has none.
  init(_ format: FindingFormat, hasState: Bool, day: String) {
    self.format = format
    columns = FindingColumns.columns(hasState: hasState)
    dayTime = RFC3339.milliseconds(Array("\(day)T00:00:00Z".utf8).span) ?? 0
  }

  /// Writes the text before the findings.
  func begin(_ rows: inout RowBuffer) {
    if format == .csv { columns.writeHeader(to: &rows) }
  }

  func write(_ finding: ReportedFinding, to rows: inout RowBuffer) {
    switch format {
    case .csv: columns.write(csv: finding, to: &rows)
    case .jsonl: columns.write(json: finding, to: &rows)
    case .ocsf: OCSF.tree(finding, self).writeLine(to: &rows)
    case .ecs: ECS.tree(finding, self).writeLine(to: &rows)
    case .timesketch: timesketch(finding).writeLine(to: &rows)
    }
  }

  private func timesketch(_ reported: ReportedFinding) -> JSONTree {
    let finding = reported.finding
    return TimesketchEvent.tree(
      "\(finding.severity.name) \(finding.code.name): \(finding.detail)",
      at: finding.time ?? dayTime,
      of: finding.time == nil ? Self.noTime : "finding of \(Tool.name)",
      columns.members(of: reported))
  }

  /// The words of formats that require a time, about a finding without one.
  static let noTime = "day of the audit, because the finding has no time"
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
