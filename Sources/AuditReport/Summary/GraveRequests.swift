internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// Requests with findings at or above `high`, each counted once.
struct GraveRequests {
  /// The numbers of requests, by `Decision.rawValue`.
  private(set) var byDecision = [UInt64](repeating: 0, count: 3)
  /// The number of accepted requests with a new finding, whatever else was found of them before.
  private(set) var new: UInt64 = 0
  /// The number of requests that may have been accepted: the log does not say, or they were not verified.
  private(set) var uncertain: UInt64 = 0
  /// The times of the first and last that the server accepted, in milliseconds since 1970.
  private(set) var first: Int64?
  private(set) var last: Int64?
  /// Whether one of these findings stands for later requests, too.
  private(set) var goesOn = false
  /// Whether the server accepted requests whose keys have no registration in the logs, and others.
  private var hasUnknown = false
  private var hasProven = false
  private var isFound = false
  private var requests = CountedRequests()
  private var newRequests = CountedRequests()
  private var uncertainRequests = CountedRequests()

  mutating func add(_ finding: Finding, isNew: Bool) {
    guard finding.severity >= .high else { return }
    isFound = true
    if finding.isUncertain {
      var finding = finding
      finding.decision = .unknown
      uncertain += uncertainRequests.take(finding)
    }
    guard finding.code.followsDecision else { return }
    byDecision[Int(finding.decision.rawValue)] += requests.take(finding)
    guard finding.decision == .accepted else { return }
    if finding.code != .keyUnknown {
      hasProven = true
    } else if finding.count > 0 {
      hasUnknown = true
    }
    if isNew { new += newRequests.take(finding) }
    guard let time = finding.time else { return }
    first = min(first ?? time, time)
    last = max(last ?? time, time)
    if finding.count > 1 { goesOn = true }
  }

  var accepted: UInt64 { byDecision[Int(Decision.accepted.rawValue)] }

  /// Returns how many of them were accepted, as a sentence without its full stop, or nil if there are no such
  /// findings. A number is a lower bound if the audit is partial, or if a finding counts several requests: the
  /// report has the decision of one of them only.
  func sentence(isPartial: Bool) -> String? {
    func counted(_ count: UInt64, _ noun: String, _ requests: CountedRequests) -> String {
      let isLeast = isPartial || requests.isLeast
      return (isLeast ? "At least " : "") + Plural.text(count, noun, capital: !isLeast)
    }
    if accepted > 0 {
      let faults = [
        hasProven || !hasUnknown ? "should have been rejected" : nil,
        hasUnknown ? "cannot be verified" : nil,
      ]
      return counted(accepted, "accepted request", requests) + " "
        + faults.compactMap(\.self).joined(separator: ", or ")
    }
    if uncertain > 0 {
      return counted(uncertain, "request", uncertainRequests) + " may have been accepted"
    }
    guard isFound else { return nil }
    return "No request with a severe finding was accepted"
      + (isPartial ? " in what could be audited" : "")
  }
}

extension Finding {
  /// Returns the finding with the decision that its severity is of: that of a copy of the request, or of another request
  /// that it counts, can be more severe than its own (`detection.R52`). `fixed` are the codes of which settings fix the severity.
  func counted(_ fixed: Set<FindingCode>) -> Finding {
    guard code.followsDecision else { return self }
    var finding = self
    let isFixed = fixed.contains(code)
    let isOfOthers = !isFixed || ["key", "counter", "replay"].contains(code.entry.family)
    let isRaised = !isFixed && severity == .critical && code.defaultSeverity == .high
    if isRaised || (severity >= .high && decision == .rejected && isOfOthers) {
      finding.decision = isRaised ? .accepted : .unknown
    }
    return finding
  }

  /// Whether its request may have been accepted. Lines that are not audited are counted by inputs.
  fileprivate var isUncertain: Bool {
    if code.followsDecision { return decision == .unknown }
    return decision != .rejected && code != .recordNotAudited && code.entry.family != "stream"
  }
}

/// The requests that findings are about, each counted once, and again only if it turns out to be accepted.
struct CountedRequests {
  static let limit = 32_768

  /// Whether there may be more requests than were counted.
  private(set) var isLeast = false
  /// The line of the last finding, and the decision that it was counted with.
  private var last: (position: Position, decision: Decision)?
  /// For each key with a finding that counts its requests: the most severe decision about them, and whether one of them
  /// was counted, and none of the lines so far was it.
  private var keys = Top<Digest256, (decision: Decision, isOpen: Bool)>(
    limit: CountedRequests.limit)

  /// Returns the number of requests of a finding that were not counted before, in report order.
  mutating func take(_ finding: Finding) -> UInt64 {
    let atLine = last.flatMap { $0.position == finding.position ? $0.decision : nil }
    let isAgain = atLine == .accepted || atLine == finding.decision
    if !isAgain { last = (finding.position, finding.decision) }
    guard finding.code == .keyUnknown || finding.code == .keyUntrusted else {
      let isOfKey = isOfKey(finding)
      return isAgain || isOfKey ? 0 : finding.count
    }
    // It stands at the first of all assertions of its key, and counts them. The most severe decision is known, and that
    // of the others is not, unless all were rejected.
    let known = finding.decision == .rejected ? finding.count : min(finding.count, 1)
    isLeast = isLeast || known < finding.count
    if let key = finding.keyID {
      let entry = (decision: finding.decision, isOpen: !isAgain)
      keys.update(key, from: entry) { $0 = entry }
    }
    return known - min(known, isAgain ? 1 : 0)
  }

  /// Returns whether a request is one of those that a finding about its key counted.
  private mutating func isOfKey(_ finding: Finding) -> Bool {
    guard finding.kind == .assertion, let keyID = finding.keyID, let key = keys[keyID],
      key.decision == finding.decision
    else { return false }
    // All that were rejected were counted, and else one.
    guard key.decision != .rejected else { return true }
    defer { keys.update(keyID, from: key) { $0.isOpen = false } }
    return key.isOpen
  }
}
