internal import AuditEngine
internal import AuditLog

/// The requests that findings are about, by decision. One with several findings is counted once, as far
/// as they stand at its own line.
struct PageRequests {
  private(set) var counts = DecisionCounts()
  /// The line of the last finding, and the decision that it was counted with.
  private var last: (position: Position, decision: Decision)?

  /// Takes a finding. Those at one line come one after the other.
  mutating func add(_ finding: Finding) {
    let isAgain = last?.position == finding.position
    if finding.count <= 1 {
      guard !isAgain else { return }
      counts[finding.decision] += finding.count
    } else {
      if isAgain, let decision = last?.decision { counts[decision] -= 1 }
      for decision in [Decision.unknown, .accepted, .rejected] {
        counts[decision] += finding.count(decision)
      }
    }
    last = (finding.position, finding.decision)
  }
}
