internal import AuditEngine
internal import Files

/// The outcome of reading a whole state.
package struct StateVerification: Sendable, Equatable {
  package private(set) var damages: [StateError] = []
  /// The amounts that were read and found as they were written.
  package private(set) var rows: UInt64 = 0
  package private(set) var segments = 0
  /// The files of the segments that were read. Earlier states have the same ones.
  private var read: Set<FileIdentity> = []

  /// Reads everything in the state at `path`, beside any run. Never throws `.damaged`.
  package static func run(path: String) throws(StateError) -> StateVerification {
    var verification = StateVerification()
    let folder = Folder(path: path)
    try verification.note(try StateMaking.require(folder))
    guard verification.damages.isEmpty else { return verification }
    try verification.checkState(folder)
    try verification.note(try StateIntent.read(in: folder))
    try verification.checkGenerations(folder)
    return verification
  }

  /// Checks the states before the last runs, which `rollback` needs (`pipeline.R16`).
  private mutating func checkGenerations(_ folder: Folder) throws(StateError) {
    for name in try StateGenerations.kept(in: folder).map(StateGenerations.path) {
      var earlier = StateVerification()
      earlier.read = read
      try earlier.checkState(Folder(path: folder.file(name)))
      // Beside a run, it may be removed while it is read.
      if folder.has(name) { damages += earlier.damages.map { $0.within(name) } }
    }
  }

  private mutating func checkState(_ folder: Folder) throws(StateError) {
    guard folder.has(StateFormat.database) else {
      return damages.append(.damaged(StateFormat.database, "it is not there"))
    }
    let database = try note(
      try StateDatabase(path: folder.file(StateFormat.database), readOnly: true))
    try note(try database?.begin(writes: false))
    guard damages.isEmpty, let database else { return }
    if try checkDatabase(database, path: folder.path) { try checkSegments(database, folder) }
  }

  /// Returns what `body` does, or nil for damage, which is noted. Anything else is thrown.
  @discardableResult
  private mutating func note<Value>(
    _ body: @autoclosure () throws(StateError) -> Value
  ) throws(StateError) -> Value? {
    do throws(StateError) { return try body() } catch {
      guard case .damaged = error.code else { throw error }
      if !damages.contains(error) { damages.append(error) }
      return nil
    }
  }

  /// Returns whether the database has the tables that it should have.
  private mutating func checkDatabase(
    _ database: StateDatabase, path: String
  ) throws(StateError) -> Bool {
    try note(try StateSchema.check(database, path: path))
    guard damages.isEmpty else { return false }
    var complaints: [StateError] = []
    // What SQLite itself has to say, in few lines.
    try note(
      try database.rows("PRAGMA integrity_check(10)") { row in
        if case .text(let text) = row.first, text != "ok" {
          complaints.append(.damaged(StateFormat.database, text))
        }
        return true
      })
    damages += complaints.filter { !damages.contains($0) }
    for table in Self.tables { rows += try note(try table.verify(database)) ?? 0 }
    try note(try Self.checkCounts(database))
    return true
  }

  private static let tables = [
    MetaTable.table, KeyTable.table, DeviceTable.table, FindingTable.table, RunTable.table,
    InputTable.sources, InputTable.inputs, InputTable.stamps, InputTable.lines,
    InputTable.replaced, InputTable.grown, InputTable.order, SegmentTable.table,
    ImportedKeyTable.table, ImportedKeyTable.devices, BuildTable.table,
  ]

  /// Checks that rows that belong together are all there.
  private static func checkCounts(_ database: StateDatabase) throws(StateError) {
    guard try database.count("keys") == MetaTable.value(database, .keys) else {
      throw .damaged(StateFormat.database, "rows of the table keys are missing")
    }
    for (table, owner) in [("inputs", "sources"), ("stamps", "inputs")] {
      let orphans = "\(table) WHERE source NOT IN (SELECT source FROM \(owner))"
      guard try database.count(orphans) == 0 else {
        throw .damaged(StateFormat.database, "rows of the table \(owner) are missing")
      }
    }
  }

  private mutating func checkSegments(
    _ database: StateDatabase, _ folder: Folder
  ) throws(StateError) {
    for entry in try note(try SegmentTable.all(database)) ?? [] {
      let identity = FileStatus(path: folder.file(entry.path))?.identity
      if let identity, !read.insert(identity).inserted { continue }
      let before = damages.count
      try note(try SegmentFile(entry, in: folder).verify())
      // Beside a run, a segment may be forgotten while it is read.
      if damages.count > before, try isForgotten(entry, folder) { damages.removeLast() }
      // The prefixes of hashes count with these.
      if damages.count == before, entry.kind != .prefixes { segments += 1 }
    }
  }

  private func isForgotten(
    _ entry: SegmentEntry, _ folder: Folder
  ) throws(StateError) -> Bool {
    guard !folder.has(entry.path) else { return false }
    let database = try StateDatabase(path: folder.file(StateFormat.database), readOnly: true)
    return try !SegmentTable.all(database).contains(entry)
  }
}
