internal import AuditLog
internal import GRDB

extension StateDirectory {
  /// The outcome of pruning.
  package struct Pruned: Sendable, Equatable {
    package var segments = 0
    package var findings = 0
    /// Bytes that the directory is smaller.
    package var bytes: Int64 = 0
  }

  /// Forgets what is older than the windows, as the next run's commit would, and closed findings that
  /// were closed longer ago than `facts.window`; then packs the database. The state is open for
  /// `advance`.
  package func prune(_ facts: TransactionFacts) throws(StateError) -> Pruned {
    let before = try info(runs: 0).bytes
    var pruned = Pruned()
    var expired: [SegmentEntry] = []
    database.rollBack()
    try database.write { database throws(StateError) in
      let now = try StateAge.now(database, clock: facts.startedAt)
      expired = try SegmentTable.all(database).filter {
        $0.isExpired(now: now, span: facts.span($0.kind))
      }
      for segment in expired {
        try SegmentTable.remove(database, segment)
        if segment.kind == .hashes { try InputTable.forgetLines(database, ofRun: segment.run) }
      }
      let isOld =
        "closed_run IN (SELECT run FROM runs WHERE started < ?)"
      let limit = SQLValue.integer(now &- facts.window)
      let count = try SQLStatement(database, "SELECT COUNT(*) FROM findings WHERE \(isOld)")
        .first([limit]) { $0.integer(0) }
      pruned.findings = Int(clamping: count ?? 0)
      try SQLStatement(database, "DELETE FROM findings WHERE \(isOld)").run([limit])
    }
    for segment in expired { try folder.remove(segment.path) }
    pruned.segments = expired.count
    try database.pack()
    pruned.bytes = Int64(before) - Int64(try info(runs: 0).bytes)
    return pruned
  }
}
