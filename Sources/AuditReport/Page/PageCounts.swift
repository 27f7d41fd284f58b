internal import AppAttest
internal import AuditEngine
internal import AuditLog

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

/// Findings by code, with the numbers that the server accepted.
struct PageCodes {
  struct Entry {
    var findings: UInt64 = 0
    /// The numbers of records, by `Decision.rawValue`.
    var records = [UInt64](repeating: 0, count: 3)
    var new: UInt64 = 0
    var worst = Severity.info
  }

  private(set) var entries = [Entry](repeating: Entry(), count: FindingCode.allCases.count)
  private(set) var grave = GraveRequests()
  private(set) var new: UInt64 = 0

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
    grave.add(finding, isNew: isNew)
  }

  var found: [(code: FindingCode, entry: Entry)] {
    FindingCode.allCases.map { ($0, entries[Int($0.rawValue)]) }.filter { $0.entry.findings > 0 }
      .sorted { a, b in
        if a.entry.worst != b.entry.worst { return a.entry.worst > b.entry.worst }
        let (left, right) = (a.entry.records[1], b.entry.records[1])
        return left != right ? left > right : a.code.rawValue < b.code.rawValue
      }
  }
}

/// Values by key, of which at most so many are held. Keys that come when it is full are counted.
struct Top<Key: Hashable, Value> {
  private let limit: Int
  private(set) var values: [Key: Value] = [:]
  private(set) var others: UInt64 = 0

  init(limit: Int) { self.limit = limit }

  subscript(key: Key) -> Value? { values[key] }

  mutating func update(
    _ key: Key, from new: @autoclosure () -> Value, _ body: (inout Value) -> Void
  ) {
    guard values.count < limit || values[key] != nil else {
      others += 1
      return
    }
    body(&values[key, default: new()])
  }

  func first(
    _ count: Int, by precedes: ((key: Key, value: Value), (key: Key, value: Value)) -> Bool
  ) -> [(key: Key, value: Value)] {
    Array(values.map { ($0.key, $0.value) }.sorted(by: precedes).prefix(count))
  }
}

extension Top: Sendable where Key: Sendable, Value: Sendable {}
