import AppAttest
import AuditEngine

/// What a run with these settings would keep, and what was accepted, for people.
struct StateDescription {
  let settings: AuditSettings

  /// Names and values.
  var rows: [(String, String)] { state + accepted }

  private var state: [(String, String)] {
    guard let state = settings.state else { return [("state", "none: each run stands alone")] }
    let mode = ("state.mode", Self.text(of: state.mode))
    guard state.mode == .advance else { return [("state", state.dir), mode] }
    return [
      ("state", state.dir), mode,
      ("state.window", DurationText.text(state.window)),
      ("state.pendingFor", DurationText.text(state.pendingFor)),
      ("state.settle", DurationText.text(state.settle)),
    ]
  }

  private var accepted: [(String, String)] {
    settings.configuration.accepted.enumerated().map { index, finding in
      let holds = finding.holds(on: settings.configuration.day)
      return (
        index == 0 ? "accept" : "",
        "\(finding.target.text) up to \(finding.severity.name) until \(finding.expires)"
          + (holds ? "" : " (expired)") + ": \(finding.reason)"
      )
    }
  }

  private static func text(of mode: RunHistory.Mode) -> String {
    switch mode {
    case .advance: "advance: every input exactly once"
    case .reference: "reference: nothing is written to it"
    }
  }
}
