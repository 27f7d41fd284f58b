/// The severity of a finding, in rising order.
package enum Severity: UInt8, Sendable, CaseIterable, Comparable {
  case info, low, medium, high, critical

  package var name: String {
    switch self {
    case .info: "info"
    case .low: "low"
    case .medium: "medium"
    case .high: "high"
    case .critical: "critical"
    }
  }

  package init?(name: String) {
    guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = match
  }

  package static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
}
