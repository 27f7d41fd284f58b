internal import Files

/// The states before the last runs (`pipeline.R16`): `generations/7` has the database as it was
/// before run 7, and links to its segments, which never change.
struct StateGenerations {
  let folder: Folder
  let database: StateDatabase

  private static let ending = ".new"

  static func path(_ run: Int64) -> String { "\(StateFormat.generations)/\(run)" }
  private func path(_ run: Int64) -> String { Self.path(run) }

  /// Returns the runs before which a state is kept, ascending.
  static func kept(in folder: Folder) throws(StateError) -> [Int64] {
    try (folder.names(in: StateFormat.generations) ?? []).compactMap { Int64($0) }.sorted()
  }

  func runs() throws(StateError) -> [Int64] { try Self.kept(in: folder) }

  /// Keeps the state as it is. No transaction is open.
  func keep(before run: Int64) throws(StateError) {
    let (kept, new) = (path(run), path(run) + Self.ending)
    try folder.makeMissing(StateFormat.generations)
    for name in [new, kept] { try folder.removeTree(name) }
    try folder.makeMissing(new)
    for kind in SegmentKind.allCases { try folder.makeMissing("\(new)/\(kind.folder)") }
    for segment in try SegmentTable.all(database) {
      try folder.repeat(segment.path, as: "\(new)/\(segment.path)")
    }
    let name = "\(new)/\(StateFormat.database)"
    let file = try folder.create(name)
    let copy = try StateDatabase(path: folder.file(name), readOnly: false, isUnfinished: true)
    try database.copy(to: copy)
    copy.close()
    try file.flush()
    for kind in SegmentKind.allCases { try folder.flush("\(new)/\(kind.folder)") }
    try folder.flush(new)
    try folder.rename(new, to: kept)
    try folder.flush(StateFormat.generations)
  }

  /// Makes the state what it was before a run, without open transactions, at one stroke.
  func restore(before run: Int64) throws(StateError) {
    let kept: StateDatabase
    do throws(StateError) {
      kept = try StateDatabase(
        path: folder.file("\(path(run))/\(StateFormat.database)"), readOnly: true)
    } catch { throw error.within(path(run)) }
    for segment in try SegmentTable.all(kept) where !folder.has(segment.path) {
      try folder.repeat("\(path(run))/\(segment.path)", as: segment.path)
    }
    for kind in SegmentKind.allCases { try folder.flush(kind.folder) }
    try kept.copy(to: database)
    database.mergeLog()
  }

  func remove(before run: Int64) throws(StateError) {
    for other in try runs() where other < run { try folder.removeTree(path(other)) }
  }

  /// Removes the states before runs that were not committed, and what a killed run left half made.
  func removeDebris() throws(StateError) {
    let last = try RunTable.last(database)
    for name in try folder.names(in: StateFormat.generations) ?? [] {
      if Int64(name).map({ $0 > last }) ?? true {
        try folder.removeTree("\(StateFormat.generations)/\(name)")
      }
    }
  }
}
