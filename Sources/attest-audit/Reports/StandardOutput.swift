import AuditEngine
import AuditReport
import AuditSettings
import Files

/// Findings on standard output instead of a report.
enum StandardOutput {
  /// The name of standard output where a folder is expected.
  static let name = "-"

  /// Returns the path of a file to be written, or nil if that is standard output: no path, or its
  /// name.
  static func file(_ path: String?) -> String? { path == name ? nil : path }

  /// Throws if a folder to be written is standard output.
  static func requireFolder(_ path: String) throws(CommandError) {
    guard path == name else { return }
    throw CommandError(
      .usage, "--out: standard output is not a folder",
      hint: "use --out DIR, or ./- for a folder of that name")
  }

  /// Returns the one format that is written, or JSON Lines if none is named.
  static func format(
    _ formats: [FindingFormat], _ flag: String
  ) throws(CommandError) -> FindingFormat {
    guard formats.count <= 1 else {
      throw CommandError(
        .usage, "\(flag) names \(formats.count) formats, and standard output takes one",
        hint: "name one, or a folder with --out")
    }
    return formats.first ?? .jsonl
  }

  /// Writes the findings of a stored report.
  static func write(_ report: StoredReport, _ format: FindingFormat) throws {
    try FindingStream(format, day: report.summary.day, to: .standardOutput).write(report)
  }
}
