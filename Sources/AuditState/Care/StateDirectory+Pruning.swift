internal import Files

extension StateDirectory {
  package struct Pruned: Sendable, Equatable {
    package var segments = 0
    package var findings = 0
    /// Bytes that the directory is smaller, or for a trial the bytes of the segments.
    package var bytes: Int64 = 0
  }

  /// Returns how long the last run keeps the state, or nil if no run recorded it.
  package func windows() throws(StateError) -> StateWindows? {
    try RunTable.windows(database)
  }

  /// Forgets what is older than the windows, closed findings too, and packs the database. If
  /// `isTrial`, nothing changes, and the state may be open for `reference`.
  package func prune(_ facts: TransactionFacts, isTrial: Bool = false) throws(StateError) -> Pruned
  {
    let before = try info(runs: 0).bytes
    var pruned = Pruned()
    let now = try StateAge.now(database, clock: facts.startedAt)
    let limit = SQLValue.integer(now &- facts.windows.window)
    let count = try database.number("SELECT COUNT(*) \(Self.closedBefore)", limit)
    pruned.findings = Int(clamping: count ?? 0)
    let expired = try SegmentTable.parted(database, facts).expired
    pruned.segments = expired.count { $0.kind != .prefixes }
    guard !isTrial else {
      pruned.bytes = Int64(clamping: expired.reduce(0) { $0 + $1.fileBytes })
      return pruned
    }
    database.rollBack()
    try database.write { () throws(StateError) in
      for segment in expired { try SegmentTable.forget(database, segment) }
      try database.run("DELETE \(Self.closedBefore)", limit)
    }
    for segment in expired { try folder.remove(segment.path) }
    try database.pack()
    pruned.bytes = Int64(before) - Int64(try info(runs: 0).bytes)
    return pruned
  }

  private static let closedBefore =
    "FROM findings WHERE closed_run IN (SELECT run FROM runs WHERE started < ?)"
}
