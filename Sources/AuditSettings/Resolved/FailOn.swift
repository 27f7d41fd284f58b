package import AuditEngine

/// The severity from which on a run fails.
package enum FailOn: Sendable, Equatable {
  case level(Severity)
  case never

  /// Returns whether findings, counted by `Severity.rawValue`, hold one at or above the level.
  package func isReached(by counts: [UInt64]) -> Bool {
    guard case .level(let level) = self else { return false }
    return counts.dropFirst(Int(level.rawValue)).contains { $0 > 0 }
  }
}
