internal import AuditEngine
internal import GRDB

/// The outcome of reading a whole state.
package struct StateVerification: Sendable, Equatable {
  /// The places that are damaged.
  package private(set) var damages: [StateError] = []
  /// The amounts that were read and found as they were written.
  package private(set) var rows: UInt64 = 0
  package private(set) var segments = 0

  /// Reads everything in the state at `path`, beside any run, and changes nothing.
  ///
  /// - Throws: ``StateError``, but never `.damaged`.
  package static func run(path: String) throws(StateError) -> StateVerification {
    var verification = StateVerification()
    let folder = StateFolder(path: path)
    try verification.note { () throws(StateError) in try StateMaking.require(folder) }
    guard verification.damages.isEmpty else { return verification }
    var database: StateDatabase?
    defer { database?.close() }
    try verification.note { () throws(StateError) in
      let opened = try StateDatabase(path: folder.file(StateFormat.database), readOnly: true)
      database = opened
      try opened.begin(writes: false)
    }
    guard verification.damages.isEmpty, let database else { return verification }
    if try verification.checkDatabase(database, path: path) {
      try verification.checkSegments(database, folder)
    }
    try verification.note { () throws(StateError) in _ = try StateIntent.read(in: folder) }
    return verification
  }

  /// Calls `body`; damage is noted, anything else thrown.
  private mutating func note(_ body: () throws(StateError) -> Void) throws(StateError) {
    do throws(StateError) { try body() } catch {
      guard case .damaged = error.code else { throw error }
      if !damages.contains(error) { damages.append(error) }
    }
  }

  /// Returns whether the database has the tables that it should have.
  private mutating func checkDatabase(
    _ database: StateDatabase, path: String
  ) throws(StateError) -> Bool {
    try note { () throws(StateError) in
      try StateSchema.check(database, path: path)
    }
    guard damages.isEmpty else { return false }
    for complaint in try complaints(database) {
      try note { () throws(StateError) in throw .damaged(StateFormat.database, complaint) }
    }
    for table in Self.tables {
      var count: UInt64 = 0
      try note { () throws(StateError) in count = try database.access(table.verify) }
      rows += count
    }
    try note { () throws(StateError) in try database.access(Self.checkCounts) }
    return true
  }

  /// Returns what SQLite itself has to say, in few lines.
  private mutating func complaints(_ database: StateDatabase) throws(StateError) -> [String] {
    var complaints: [String] = []
    try note { () throws(StateError) in
      try database.access { database throws(StateError) in
        try SQLStatement(database, "PRAGMA integrity_check(10)").each { row in
          guard case .text(let text) = row.first, text != "ok" else { return }
          complaints.append(text)
        }
      }
    }
    return complaints
  }

  private static let tables = [
    MetaTable.table, KeyTable.facts, KeyTable.counters, DeviceTable.table, FindingTable.table,
    RunTable.table, InputTable.sources, InputTable.inputs, InputTable.stamps, InputTable.lines,
    InputTable.replaced, InputTable.order, SegmentTable.table,
    ImportedKeyTable.table, ImportedKeyTable.devices, BuildTable.table,
  ]

  /// Checks that rows that belong together are all there.
  private static func checkCounts(_ database: Database) throws(StateError) {
    func count(_ query: String) throws(StateError) -> Int64 {
      try SQLStatement(database, "SELECT COUNT(*) FROM \(query)").number() ?? 0
    }
    let keys = try count("keys")
    guard keys == (try MetaTable.value(database, .keys)) else {
      throw .damaged(StateFormat.database, "rows of the table keys are missing")
    }
    let lonely = "counters LEFT JOIN keys USING (key_id) WHERE keys.key_id IS NULL"
    guard keys == (try count("counters")), try count(lonely) == 0 else {
      throw .damaged(StateFormat.database, "rows of the table counters are missing")
    }
    for (table, key) in [("inputs", "source"), ("stamps", "source")] {
      let owner = table == "inputs" ? "sources" : "inputs"
      guard try count("\(table) WHERE \(key) NOT IN (SELECT \(key) FROM \(owner))") == 0 else {
        throw .damaged(StateFormat.database, "rows of the table \(owner) are missing")
      }
    }
  }

  private mutating func checkSegments(
    _ database: StateDatabase, _ folder: StateFolder
  ) throws(StateError) {
    var entries: [SegmentEntry] = []
    try note { () throws(StateError) in entries = try database.access(SegmentTable.all) }
    for entry in entries {
      let before = damages.count
      try note { () throws(StateError) in try SegmentCheck.check(entry, in: folder) }
      // Beside a run, a segment may be forgotten while it is read.
      if damages.count > before, try isForgotten(entry, folder) { damages.removeLast() }
      if damages.count == before { segments += 1 }
    }
  }

  /// Returns whether the state names a segment no more.
  private func isForgotten(
    _ entry: SegmentEntry, _ folder: StateFolder
  ) throws(StateError) -> Bool {
    guard !folder.has(entry.path) else { return false }
    let database = try StateDatabase(path: folder.file(StateFormat.database), readOnly: true)
    defer { database.close() }
    let entries = try database.access(SegmentTable.all)
    return !entries.contains(entry)
  }
}
