internal import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics

/// The keys with the most severe findings of accepted requests, counted in bounded memory.
struct PageKeys {
  struct Entry {
    var keyID: Digest256
    var count = Count()
    var row: KeyRow?
  }

  struct Count {
    /// The number of requests that the server accepted of those findings at or above `high` that ``GraveRequests`` counts.
    var accepted: UInt64 = 0
    var worstAccepted = Severity.info
    /// Whether the server may have accepted more.
    var isLeast = false
    var least: String { isLeast ? "at least " : "" }
    var findings: UInt64 = 0
    var worst = Severity.info
  }

  static let limit = 32_768
  static let shown = 9

  private var counts: [Digest256: Count] = [:]
  private var requests = CountedRequests()
  /// The keys to draw, once all findings were taken, or nil before.
  private var drawn: [Entry]?

  mutating func add(_ finding: Finding) {
    guard let keyID = finding.keyID else { return }
    let isGrave = finding.severity >= .high && finding.code.followsDecision
    counts[keyID, default: Count()].take(finding, requests: isGrave ? requests.take(finding) : 0)
    if counts.count > Self.limit { forgetLeast() }
  }

  /// Takes a row of `keys.csv`, after all findings.
  mutating func add(_ row: KeyRow) {
    if drawn == nil {
      drawn = worst
      counts = [:]
    }
    guard let index = drawn?.firstIndex(where: { $0.keyID == row.keyID }) else { return }
    // No other text of it is drawn.
    let subject = PageText.cut(RowBuffer.guarded(row.subject))
    var row = row
    for text in KeyColumns.all.texts { row[keyPath: text] = "" }
    row.subject = subject
    drawn?[index].row = row
  }

  /// The worst keys, by the worst accepted abuse, then its number, then severity, then number of findings.
  var worst: [Entry] {
    drawn
      ?? counts.sorted(by: Self.precedes).prefix(Self.shown)
      .map { Entry(keyID: $0.key, count: $0.value) }
  }

  /// Forgets all keys but the first in that order, half as many as the table holds.
  private mutating func forgetLeast() {
    let first = counts.sorted(by: Self.precedes).prefix(Self.limit / 2)
    counts.removeAll(keepingCapacity: true)
    for (key, value) in first { counts[key] = value }
  }

  private static func precedes(
    _ a: (key: Digest256, value: Count), _ b: (key: Digest256, value: Count)
  ) -> Bool {
    let (left, right) = (a.value.order, b.value.order)
    return left == right ? a.key < b.key : left > right
  }
}

extension PageKeys.Count {
  fileprivate var order: (Severity, UInt64, Severity, UInt64) {
    (worstAccepted, accepted, worst, findings)
  }

  fileprivate mutating func take(_ finding: Finding, requests: UInt64) {
    findings += 1
    worst = max(worst, finding.severity)
    guard finding.decision == .accepted else { return }
    accepted += requests
    guard finding.severity >= .high else { return }
    worstAccepted = max(worstAccepted, finding.severity)
    isLeast = isLeast || finding.count > 1
  }
}
