import AppAttest
import AuditEngine
import AuditReport
import AuditState
import Foundation

/// An open finding as a row of text.
struct StandingFindingRow {
  let finding: StandingFinding

  /// The columns of `state findings`; those that `findings.csv` has mean the same here.
  static let columns = [
    "severity", "code", "time", "key_id", "app_id", "source", "line", "fingerprint", "first_seen",
    "last_seen", "times_seen", "accepted",
  ]

  /// The values of ``columns``.
  var values: [String] {
    [
      finding.severity?.name ?? "", finding.code, time, finding.keyID?.hex ?? "", finding.appID,
      finding.source, finding.source.isEmpty ? "" : "\(finding.line)",
      Fingerprint.text(finding.fingerprint), finding.firstSeen, finding.lastSeen,
      "\(finding.times)", finding.isAccepted ? "true" : "false",
    ]
  }

  /// A line of JSON Lines, without what is empty.
  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .withoutEscapingSlashes
      let members = try zip(Self.columns, values).filter { !$1.isEmpty }.map { column, text in
        let isWord = ["line", "times_seen", "accepted"].contains(column)
        let value = isWord ? text : String(decoding: try encoder.encode(text), as: UTF8.self)
        return "\"\(column)\":\(value)"
      }
      return "{\(members.joined(separator: ","))}\n"
    }
  }

  /// A line for people.
  var text: String {
    let place =
      finding.source.isEmpty
      ? "" : finding.source + (finding.line > 0 ? ":\(finding.line)" : "")
    let seen =
      "\(finding.firstSeen)"
      + (finding.times > 1 ? " to \(finding.lastSeen), \(finding.times) times" : "")
      + (finding.isAccepted ? ", accepted" : "")
    let parts = [
      Self.pad(finding.severity?.name ?? "unknown", 8), Self.pad(finding.code, 30),
      Self.pad(time.isEmpty ? "no time" : time, 24),
      Self.pad(finding.keyID.map { "key " + $0.hex.prefix(16) } ?? "no key", 20),
      Fingerprint.text(finding.fingerprint), seen, place,
    ]
    return OneLine.escape(parts.filter { !$0.isEmpty }.joined(separator: "  ")) + "\n"
  }

  private var time: String {
    guard let time = finding.time else { return "" }
    let civil = CivilTime(milliseconds: time)
    return (0...9999).contains(civil.year) ? civil.text : ""
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
