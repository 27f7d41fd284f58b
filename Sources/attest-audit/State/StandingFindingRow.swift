import AppAttest
import AuditEngine
import AuditReport
import AuditState
import Basics

/// An open finding as a row of text.
struct StandingFindingRow {
  let finding: StandingFinding

  /// The columns of `state findings`. Those that `findings.csv` has mean the same here.
  static let columns = [
    "severity", "code", "time", "key_id", "app_id", "source", "line", "fingerprint", "first_seen",
    "last_seen", "times_seen", "accepted",
  ]

  /// The values of ``columns``.
  var values: [String] {
    [
      finding.severity.name, finding.code, time, finding.keyID?.hex ?? "", finding.appID,
      finding.source, finding.source.isEmpty ? "" : "\(finding.line)",
      Fingerprint.text(finding.fingerprint), finding.firstSeen, finding.lastSeen,
      "\(finding.times)", finding.isAccepted ? "true" : "false",
    ]
  }

  /// The row as a line of JSON Lines, without empty members.
  var json: String {
    TextRow.json(
      Array(zip(Self.columns, values)), bare: ["line", "times_seen", "accepted"])
  }

  /// The row as three lines for people.
  var text: String {
    let key = finding.keyID.map { "key " + $0.hex.prefix(16) } ?? "no key"
    let seen =
      finding.times > 1
      ? "\(finding.times) times from \(finding.firstSeen) to \(finding.lastSeen)"
      : "on \(finding.firstSeen)"
    return [
      finding.severity.name.padded(to: 8) + "  " + finding.code.padded(to: 30) + "  "
        + (time.isEmpty ? "no time" : time),
      Self.margin + Fingerprint.text(finding.fingerprint) + "  "
        + PrintableText.place(finding.source, line: finding.line, limit: 500),
      Self.margin + "\(key), reported \(seen)" + (finding.isAccepted ? ", accepted" : ""),
    ].map { OneLine.escape($0) + "\n" }.joined()
  }

  private static let margin = "".padded(to: 10)

  private var time: String {
    guard let time = finding.time else { return "" }
    let civil = CivilTime(milliseconds: time)
    return (0...9999).contains(civil.year) ? civil.text : ""
  }
}
