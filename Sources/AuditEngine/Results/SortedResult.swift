internal import AppAttest
internal import AuditLog
internal import Basics
internal import RowShuffle

/// The result of a run: its rows are merged as they are asked for.
struct SortedResult: AuditResult {
  let sources: [String]
  /// The memory of earlier runs, or nil if the run stands alone.
  var history: RunMemory?
  let inputs: [InputRow]
  let graded: GradedTotals
  var remarks = LogRemarks()
  var closed: [ClosedFinding] = []
  var closedCount: UInt64 = 0
  /// The rows of what is withdrawn, or nil if nothing is.
  var withdrawn: RowSorter?
  let shuffles: Shuffles
  let run: Cancellation<AuditError>
  var accounted: ReadInputs?

  /// The totals. Those of findings by severity are final once the findings were read.
  var totals: AuditTotals { graded.totals }
  var likelyCauses: [LikelyCause] { remarks.likelyCauses }
  var blindSpots: [BlindSpot] { remarks.blindSpots }
  var firstSource: UInt32 { history?.firstSource ?? 0 }

  var earlierSource: @Sendable (UInt32) -> String {
    guard let history else { return { _ in "" } }
    return history.sourceName
  }

  func forEachFinding(_ body: (Finding) throws -> Void) throws {
    graded.begin()
    var copy = FindingRow()
    var count: UInt64 = 0
    unsafe try forEach(shuffles.findings) { bytes in
      var row = unsafe try FindingRow(bytes, shuffles.texts)
      guard row.copy == nil else {
        copy = row
        return
      }
      // Of several, the most severe comes last.
      if copy.grades(row.finding), let decision = copy.copy {
        graded.grade(&row.finding, by: decision)
      }
      count += 1
      try body(row.finding)
    }
    let accepted = totals.accepted.reduce(0) { $0 + $1.count }
    try check(count, of: totals.findingsBySeverity.reduce(accepted, +), "findings")
  }

  func forEachWithdrawn(_ body: (Finding, Sighting) throws -> Void) throws {
    guard let withdrawn else { return }
    unsafe try forEach(withdrawn) { row in
      let finding = unsafe try FindingRow(row, shuffles.texts).finding
      guard let sighting = try history?.findings.sighting(finding.fingerprint) else { return }
      try body(finding, sighting)
    }
  }

  func forEachKey(_ body: (KeyRow) throws -> Void) throws {
    var key: KeyRow?
    var count: UInt64 = 0
    unsafe try forEach(shuffles.keys) { row in
      if unsafe KeyRow.isAddition(row) {
        // An addition from an earlier run's event may be about a key without a record in this run.
        if unsafe key?.keyID == Digest256(copying: row.baseAddress.unsafelyUnwrapped) {
          key?.add(unsafe try KeyRow.Addition(row, shuffles.texts))
        }
      } else {
        if let key { try body(key) }
        key = unsafe try KeyRow(row, shuffles.texts)
        count += 1
      }
    }
    if let key { try body(key) }
    try check(count, of: totals.keys.reduce(0, +), "keys")
  }

  func forEachBuild(_ body: (BuildRow) throws -> Void) throws -> BuildTotals {
    let builds = try MergedBuilds(shuffles)
    for row in builds.rows { try body(row) }
    return builds.totals
  }

  func forEachReject(_ body: (RejectRow) throws -> Void) throws {
    let count = unsafe try forEach(shuffles.rejects) {
      try body(unsafe RejectRow($0, shuffles.texts))
    }
    try check(count, of: totals.records.rejectRows, "rejects")
  }

  func forEachVerdict(_ body: (VerdictRow) throws -> Void) throws {
    guard let verdicts = shuffles.verdicts else { return }
    let count = unsafe try forEach(verdicts) { try body(unsafe VerdictRow($0, shuffles.texts)) }
    try check(count, of: totals.verdicts.reduce(0, +), "verdicts")
  }

  func forEachEvents(_ body: (EventRows) throws -> Void) throws {
    guard let events = shuffles.events else { return }
    var block = EventRowBlock()
    func emit(_ full: consuming EventRowBlock) throws {
      try run.check()
      try body(full.events(shuffles))
    }
    unsafe try forEach(events) { row in
      unsafe block.append(row)
      guard block.isFull else { return }
      try emit(block)
      block = EventRowBlock()
    }
    if !block.isEmpty { try emit(block) }
  }

  /// Throws where rows are lost or stand twice: a report with less than was found must not be.
  private func check(_ count: UInt64, of total: UInt64, _ name: String) throws(AuditError) {
    guard count != total else { return }
    throw AuditError(
      .inconsistent, "\(total) \(name) were counted, but there are rows of \(count)")
  }

  /// Calls `body` with every row of a shuffle, and returns how many there are.
  @discardableResult
  private func forEach(
    _ sorter: RowSorter, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> UInt64 {
    let rows = try sorter.merged()
    var count: UInt64 = 0
    while let row = unsafe try rows.next() {
      unsafe try body(row)
      count += 1
      if count & 0xFFF == 0 { try run.check() }
    }
    return count
  }
}
