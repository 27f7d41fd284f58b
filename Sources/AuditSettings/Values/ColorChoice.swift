/// When text on standard output has colours.
package enum ColorChoice: String, Sendable, CaseIterable {
  /// On a terminal that shows them, unless `NO_COLOR` is set (no-color.org).
  case auto
  case always
  case never

  /// Returns whether text has colours where the environment is `environment` and standard output is a
  /// terminal or not.
  package func isOn(isTerminal: Bool, environment: [String: String]) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .auto:
      isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }
  }
}
