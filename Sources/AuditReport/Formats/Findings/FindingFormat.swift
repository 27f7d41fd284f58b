/// A form in which findings are written. CSV and JSON Lines are in every report.
package enum FindingFormat: String, Sendable, CaseIterable, Comparable {
  case csv, jsonl
  /// OCSF Detection Finding, one JSON object on each line.
  case ocsf
  /// Elastic Common Schema, one JSON object on each line.
  case ecs
  /// SARIF 2.1.0, one JSON document.
  case sarif

  /// The name of the file in a report.
  package var fileName: String {
    switch self {
    case .csv: "findings.csv"
    case .jsonl: "findings.jsonl"
    case .ocsf: "findings.ocsf.jsonl"
    case .ecs: "findings.ecs.jsonl"
    case .sarif: "findings.sarif"
    }
  }

  /// Makes the writer for a file of the format.
  func makeWriter() -> any FindingWriter {
    switch self {
    case .csv: FindingsCSV()
    case .jsonl: FindingsJSONLines()
    case .ocsf: OCSFLines()
    case .ecs: ECSLines()
    case .sarif: SarifText()
    }
  }

  /// True where every report has a file of the format.
  package var isInEveryReport: Bool { self == .csv || self == .jsonl }

  package static func < (left: FindingFormat, right: FindingFormat) -> Bool {
    left.fileName < right.fileName
  }
}
