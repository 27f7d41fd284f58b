internal import Files

/// The removal of what killed runs left, under the lock, before anything is read. It may itself be
/// killed at any point, and done again.
enum StateDebris {
  /// Removes what may lie there without belonging to the state, before its database is read.
  static func removeUnfinished(_ folder: Folder) throws(StateError) {
    for name in try folder.names() ?? [] {
      let isUnfinished =
        name == StateFormat.unfinishedIntent || TemporaryName.isSpill(name)
        || name.hasPrefix(StateFormat.unfinishedDatabase)
      if isUnfinished { try folder.remove(name) }
    }
  }

  /// Removes segments that the database does not name, and what is left of an uncommitted run's
  /// report in the folder `reports`, if given. Returns what was done, a line each.
  static func remove(
    _ folder: Folder, _ database: StateDatabase, reports: Folder?
  ) throws(StateError) -> [String] {
    var notices: [String] = []
    let named = Set(try SegmentTable.all(database).map(\.path))
    for kind in SegmentKind.allCases {
      for name in try folder.names(in: kind.folder) ?? [] where SegmentKind.isSegment(name) {
        let path = "\(kind.folder)/\(name)"
        if !named.contains(path) { try folder.remove(path) }
      }
    }
    try StateGenerations(folder: folder, database: database).removeDebris()
    guard let intent = try StateIntent.read(in: folder), intent.report == nil || reports != nil
    else { return notices }
    let isCommitted = try RunTable.run(database, id: intent.runID) != nil
    if !isCommitted {
      notices.append("run \(intent.runID) did not come to its end; what it left is cleared away")
    }
    try undo(intent, isCommitted: isCommitted, folder, reports: reports)
    return notices
  }

  /// Clears away what an intent names in the folder of reports, and nowhere else; then the intent.
  static func undo(
    _ intent: StateIntent, isCommitted: Bool, _ folder: Folder, reports: Folder?
  ) throws(StateError) {
    if let reports, let remains = ReportRemains(intent, in: reports) {
      if isCommitted { try remains.tidy() } else { try remains.undo() }
    }
    try StateIntent.remove(in: folder)
  }
}
