internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// The requests that findings are about, each counted once, and again only if a later finding says
/// that it was accepted.
struct PageRequests {
  /// The largest number of keys of which it is known that all their assertions were counted.
  static let limit = 32_768

  /// The line of the last finding, and the decision that it was counted with.
  private var last: (position: Position, decision: Decision)?
  /// The keys all of whose assertions were counted, and with which decision.
  private var keys = Top<Digest256, Decision>(limit: PageRequests.limit)

  /// Returns the number of requests of a finding that were not counted before, in report order.
  mutating func take(_ finding: Finding) -> UInt64 {
    let atLine = last.flatMap { $0.position == finding.position ? $0.decision : nil }
    let isAgain = covers(atLine, finding)
    if !isAgain { last = (finding.position, finding.decision) }
    if finding.code == .keyUnknown || finding.code == .keyUntrusted {
      // It stands at the first of all assertions of its key, and counts them.
      if let key = finding.keyID {
        keys.update(key, from: finding.decision) { $0 = finding.decision }
      }
      return finding.count - min(finding.count, isAgain ? 1 : 0)
    }
    let ofKey = finding.kind == .assertion ? finding.keyID.flatMap { keys[$0] } : nil
    return isAgain || covers(ofKey, finding) ? 0 : finding.count
  }

  /// Returns whether a request that was counted with `decision` is counted for this finding too.
  private func covers(_ decision: Decision?, _ finding: Finding) -> Bool {
    decision == .accepted || decision == finding.decision
  }
}
