internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// The requests that grave findings are about: one with several findings is counted once.
struct PageRequests {
  /// The largest number of keys of which it is known that all their assertions were counted.
  static let limit = 32_768

  /// The line of the last finding.
  private var last: Position?
  private var counted: Set<Digest256> = []

  /// Returns the number of requests of a finding that none before it was about. Findings come in the
  /// order of the reports, in which those at one line follow each other.
  mutating func take(_ finding: Finding) -> UInt64 {
    guard finding.severity >= .high else { return 0 }
    let isAgain = last == finding.position
    last = finding.position
    if finding.code == .keyUnknown || finding.code == .keyUntrusted {
      // It stands at the first of all assertions of its key, and counts them.
      if let key = finding.keyID, counted.count < Self.limit { counted.insert(key) }
      return finding.count - min(finding.count, isAgain ? 1 : 0)
    }
    let isCounted =
      finding.kind == .assertion && finding.keyID.map(counted.contains) == true
    return isAgain || isCounted ? 0 : finding.count
  }
}
