/// The topics of settings: the headings of help, manual and documentation, in their order.
package enum SettingTopic: String, Sendable, CaseIterable {
  case input
  case trust
  case detection
  case report
  case state
  case limits

  /// The heading.
  package var title: String {
    switch self {
    case .input: "Input"
    case .trust: "Apps and trust"
    case .detection: "Detection"
    case .report: "Report and output"
    case .state: "State"
    case .limits: "Limits and machine"
    }
  }
}
