/// The choice of colours for text on standard output.
package enum ColorChoice: String, Sendable, CaseIterable {
  /// On a terminal that shows them, unless `NO_COLOR` is set (no-color.org).
  case auto
  case always
  case never

  /// Returns whether text has colours in the given environment, on a terminal or not.
  package func isOn(isTerminal: Bool, environment: [String: String]) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .auto:
      isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }
  }
}
