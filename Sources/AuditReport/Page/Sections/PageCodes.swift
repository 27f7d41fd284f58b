internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// Findings by code, with the numbers that the server accepted.
struct PageCodes {
  /// The counts for one code.
  struct Entry {
    var findings: UInt64 = 0
    /// The numbers of records, by `Decision.rawValue`.
    var records = [UInt64](repeating: 0, count: 3)
    var new: UInt64 = 0
    var worst = Severity.info
  }

  /// Requests that should have been refused: findings at or above `high`.
  struct Grave {
    /// The numbers of requests, by `Decision.rawValue`.
    var requests = [UInt64](repeating: 0, count: 3)
    /// Whether the server accepted requests whose keys have no registration in the logs.
    var hasUnknown = false
    /// Whether it accepted requests with another severe finding.
    var hasProven = false
    /// The number of accepted requests with a new finding, whatever else was found of them before.
    var new: UInt64 = 0
    /// The number of requests that may have been accepted: the log does not say what the server
    /// decided, or the audit could not verify what it did not refuse.
    var uncertain: UInt64 = 0
    /// The times of the first and last that the server accepted, in milliseconds since 1970.
    var first: Int64?
    var last: Int64?
    /// Whether one of these findings stands for later requests, too.
    var goesOn = false
    /// The words about the requests that the server accepted.
    var fate: String {
      guard hasUnknown else { return "should have been rejected" }
      return (hasProven ? "should have been rejected, or " : "") + "could not be verified"
    }
  }

  private(set) var entries = [Entry](repeating: Entry(), count: FindingCode.allCases.count)
  private(set) var grave = Grave()
  private(set) var new: UInt64 = 0
  private var graveRequests = PageRequests()
  private var newRequests = PageRequests()
  private var uncertainRequests = PageRequests()

  /// Takes a finding.
  mutating func add(_ finding: Finding, isNew: Bool) {
    let index = Int(finding.code.rawValue)
    let decision = Int(finding.decision.rawValue)
    entries[index].findings += 1
    entries[index].records[decision] += finding.count
    entries[index].worst = max(entries[index].worst, finding.severity)
    if isNew {
      entries[index].new += 1
      new += 1
    }
    guard finding.severity >= .high else { return }
    if finding.isUncertain {
      var finding = finding
      finding.decision = .unknown
      grave.uncertain += uncertainRequests.take(finding)
    }
    guard finding.code.followsDecision else { return }
    grave.requests[decision] += graveRequests.take(finding)
    guard finding.decision == .accepted else { return }
    if finding.code != .keyUnknown {
      grave.hasProven = true
    } else if finding.count > 0 {
      grave.hasUnknown = true
    }
    if isNew { grave.new += newRequests.take(finding) }
    guard let time = finding.time else { return }
    grave.first = min(grave.first ?? time, time)
    grave.last = max(grave.last ?? time, time)
    if finding.count > 1 { grave.goesOn = true }
  }

  /// The codes that were found, the most severe first.
  var found: [(code: FindingCode, entry: Entry)] {
    FindingCode.allCases.map { ($0, entries[Int($0.rawValue)]) }
      .filter { $0.entry.findings > 0 }
      .sorted { a, b in
        if a.entry.worst != b.entry.worst { return a.entry.worst > b.entry.worst }
        let (left, right) = (a.entry.records[1], b.entry.records[1])
        return left != right ? left > right : a.code.rawValue < b.code.rawValue
      }
  }
}

extension Finding {
  /// Whether its request may have been accepted. Lines that are not audited are counted by inputs.
  fileprivate var isUncertain: Bool {
    if code.followsDecision { return decision == .unknown }
    return decision != .rejected && code != .recordNotAudited && code.entry.family != "stream"
  }
}

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
