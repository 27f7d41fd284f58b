import AppAttest
import AuditEngine
import AuditSettings

/// The accepted findings of a run as text.
struct AcceptedDescription {
  let settings: RunSettings

  /// The rows, each with a name and a value.
  var rows: [(String, String)] {
    settings.configuration.accepted.enumerated().map { index, finding in
      let holds = finding.holds(on: settings.configuration.acceptanceDay)
      return (
        index == 0 ? SettingTable.shared.accepted.name : "",
        "\(finding.target.text) up to \(finding.severity.name) until \(finding.expires)"
          + (holds ? "" : " (expired)") + ": \(finding.reason)"
      )
    }
  }
}
