package import AuditLog

/// Numbers of records by what the server decided.
package struct DecisionCounts: Sendable, Equatable {
  package var unknown: UInt64
  package var accepted: UInt64
  package var rejected: UInt64

  package init(unknown: UInt64 = 0, accepted: UInt64 = 0, rejected: UInt64 = 0) {
    self.unknown = unknown
    self.accepted = accepted
    self.rejected = rejected
  }

  package var total: UInt64 { unknown + accepted + rejected }

  package subscript(decision: Decision) -> UInt64 {
    get {
      switch decision {
      case .unknown: unknown
      case .accepted: accepted
      case .rejected: rejected
      }
    }
    set {
      switch decision {
      case .unknown: unknown = newValue
      case .accepted: accepted = newValue
      case .rejected: rejected = newValue
      }
    }
  }
}
