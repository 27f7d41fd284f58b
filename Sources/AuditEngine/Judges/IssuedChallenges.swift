internal import RowShuffle

/// The times and places at which one hash was issued as a challenge. This run's come in the order
/// of time, with the questions between them; earlier runs' in any order, before these.
final class IssuedChallenges {
  struct Issue: CodedRow, Comparable {
    /// Milliseconds since 1970.
    var time: Int64 = 0
    var position = Position(source: 0, line: 0)
    /// True of an earlier run's that a whole copy of its input replaces: it is not issued now.
    var isDamage = false

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.key(time: &time)
      try coder.key(&position)
      try coder.flag(&isDamage)
    }

    static func < (left: Issue, right: Issue) -> Bool {
      (left.time, left.position) < (right.time, right.position)
    }
  }

  /// The number of challenges of earlier runs that are kept in memory.
  static let limit = 1 << 15
  private static let keyLength = 8 + 4 + 8
  private static let sorterMemory = 2 << 20

  private let space: SpillSpace
  private let row: RowBuilder
  private var latest: Issue?
  /// The last one of earlier runs that was issued until the time asked for last.
  private(set) var latestEarlier: Issue?
  private var earlier: [Issue] = []
  private var spilled: RowSorter?
  private var isSorted = false
  /// The number of `earlier` that were issued at the last question, or are next.
  private var index = 0
  private var rows: RowMerger?
  /// The first that was not yet issued at the last question.
  private var next: Issue?

  init(_ shuffles: Shuffles) {
    space = shuffles.space
    row = RowBuilder(texts: shuffles.texts)
  }

  /// Takes a challenge of this run, not before those taken so far.
  func take(_ issue: Issue) {
    latest = max(latest ?? issue, issue)
  }

  /// Adds a challenge of an earlier run.
  func add(earlier issue: Issue) throws(AuditError) {
    if let spilled { return try put(issue, spilled) }
    earlier.append(issue)
    guard earlier.count > Self.limit else { return }
    let sorter = RowSorter(
      RowSorter.Settings(
        keyLength: Self.keyLength, writers: 1, memory: Self.sorterMemory, space: space))
    for issue in earlier { try put(issue, sorter) }
    earlier = []
    spilled = sorter
  }

  private func put(_ issue: Issue, _ sorter: RowSorter) throws(AuditError) {
    try issue.write(row)
    unsafe try sorter.writer(0).append(row.row)
  }

  /// Returns the last challenge of those taken, and of earlier ones until `time`, which ascends.
  func last(until time: Int64) throws(AuditError) -> Issue? {
    guard spilled != nil || !earlier.isEmpty else { return latest }
    if !isSorted {
      isSorted = true
      earlier.sort()
      rows = try spilled?.merged()
      try advance()
    }
    while let issue = next, issue.time <= time {
      take(inTurn: issue)
      try advance()
    }
    return latest
  }

  /// Takes a challenge of an earlier run when its time has come.
  private func take(inTurn issue: Issue) {
    latestEarlier = issue
    if !issue.isDamage { take(issue) }
  }

  private func advance() throws(AuditError) {
    if index < earlier.count {
      next = earlier[index]
      index += 1
      return
    }
    next = unsafe try rows?.next().map { (row) throws(AuditError) in
      unsafe try Issue(row)
    }
  }

  func removeAll() {
    latest = nil
    latestEarlier = nil
    earlier.removeAll(keepingCapacity: true)
    spilled = nil
    isSorted = false
    index = 0
    rows = nil
    next = nil
  }
}
