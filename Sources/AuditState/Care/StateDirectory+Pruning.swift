internal import AuditLog
internal import GRDB

extension StateDirectory {
  /// The outcome of pruning.
  package struct Pruned: Sendable, Equatable {
    package var segments = 0
    package var findings = 0
    /// Bytes that the directory is smaller, or for a trial the bytes of the segments.
    package var bytes: Int64 = 0
  }

  /// Returns how long the last run keeps the state, or nil if no run recorded it.
  package func windows() throws(StateError) -> StateWindows? {
    try database.access(RunTable.windows)
  }

  /// Forgets what is older than the windows, as the next run's commit would, and findings that were closed
  /// longer ago than the hashes' window; then packs the database. The state is open for `advance`, or for
  /// `reference` if `isTrial`, which changes nothing.
  package func prune(_ facts: TransactionFacts, isTrial: Bool = false) throws(StateError) -> Pruned
  {
    let before = try info(runs: 0).bytes
    var pruned = Pruned()
    let (expired, limit) = try database.access { database throws(StateError) in
      let now = try StateAge.now(database, clock: facts.startedAt)
      let limit = SQLValue.integer(now &- facts.windows.window)
      let count = try SQLStatement(
        database, "SELECT COUNT(*) FROM findings WHERE \(Self.wasClosedBefore)"
      ).number([limit])
      pruned.findings = Int(clamping: count ?? 0)
      let expired = try SegmentTable.all(database).filter {
        $0.isExpired(now: now, span: facts.span($0.kind))
      }
      return (expired, limit)
    }
    pruned.segments = expired.count
    guard !isTrial else {
      pruned.bytes = Int64(clamping: expired.reduce(UInt64(0)) { $0 &+ $1.bytes })
      return pruned
    }
    database.rollBack()
    try database.write { database throws(StateError) in
      for segment in expired {
        try SegmentTable.remove(database, segment)
        if segment.kind == .hashes { try InputTable.forgetLines(database, ofRun: segment.run) }
      }
      try SQLStatement(database, "DELETE FROM findings WHERE \(Self.wasClosedBefore)").run([limit])
    }
    for segment in expired { try folder.remove(segment.path) }
    try database.pack()
    pruned.bytes = Int64(before) - Int64(try info(runs: 0).bytes)
    return pruned
  }

  private static let wasClosedBefore = "closed_run IN (SELECT run FROM runs WHERE started < ?)"
}
