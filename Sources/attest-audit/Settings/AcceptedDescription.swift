import AppAttest
import AuditEngine
import AuditSettings

/// What was accepted in a run with some settings, for people.
struct AcceptedDescription {
  let settings: RunSettings

  /// Names and values.
  var rows: [(String, String)] {
    settings.configuration.accepted.enumerated().map { index, finding in
      let holds = finding.holds(on: settings.configuration.day)
      return (
        index == 0 ? SettingTable.shared.accepted.name : "",
        "\(Self.text(of: finding.target)) until \(finding.expires)"
          + (holds ? "" : " (expired)") + ": \(finding.reason)"
      )
    }
  }

  private static func text(of target: AcceptedFinding.Target) -> String {
    switch target {
    case .fingerprint(let fingerprint):
      let digits = String(fingerprint, radix: 16)
      return "finding " + String(repeating: "0", count: 16 - digits.count) + digits
    case .key(let code, let keyID): return "\(code.name) of key \(keyID.hex)"
    }
  }
}
