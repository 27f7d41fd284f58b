package import AppAttest
package import AuditEngine
internal import Glibc

extension StateDirectory {
  private static let pageKeys = 1000

  /// Returns what is known of a key, or nil if nothing is known.
  package func key(_ keyID: Digest256) throws(StateError) -> KeptKey? {
    try Self.withImported(KeyTable.key(database, keyID), database)
  }

  /// Returns what is known of a key with what imported lists say of it.
  private static func withImported(
    _ key: KeptKey?, _ database: StateDatabase
  ) throws(StateError) -> KeptKey? {
    guard let key, let imported = try ImportedKeyTable.key(database, key.keyID) else { return key }
    return key.merging(imported.key, at: imported.position)
  }

  /// Returns the device that valid attestations gave a key first, or else imported lists, or nil.
  package func deviceID(of keyID: Digest256) throws(StateError) -> String? {
    let devices = try DeviceTable.devices(database, ofKey: keyID)
    if let name = devices.lazy.compactMap(\.name).first { return name }
    return try ImportedKeyTable.key(database, keyID)?.key.deviceID
  }

  /// Returns at most `limit` keys of a range, in ascending order.
  package func keys(
    in range: ClosedRange<Digest256>, limit: Int
  ) throws(StateError) -> [Digest256] {
    try KeyTable.table.rows(
      database, "WHERE key_id BETWEEN ? AND ? ORDER BY key_id LIMIT ?",
      .digest(range.lowerBound), .digest(range.upperBound), .number(limit), as: KeptKey.self
    ).map(\.keyID)
  }

  package func forEachKey(_ body: (KeptKey) throws -> Void) throws {
    var last: Digest256?
    while true {
      let page = try Self.withImported(
        KeyTable.keys(database, after: last, limit: Self.pageKeys), database)
      for key in page { try body(key) }
      guard page.count == Self.pageKeys else { return }
      last = page.last?.keyID
    }
  }

  private static func withImported(
    _ keys: [KeptKey], _ database: StateDatabase
  ) throws(StateError) -> [KeptKey] {
    guard try !ImportedKeyTable.isEmpty(database) else { return keys }
    var all = keys
    for index in all.indices { all[index] = try withImported(all[index], database) ?? all[index] }
    return all
  }

  package struct Imported: Sendable, Equatable {
    package var added = 0
    /// Keys that were known, of which the list says more.
    package var raised = 0
    /// Keys that were known, of which the list says nothing new.
    package var unchanged = 0
  }

  /// Adds all keys of a list, or none: later runs know them as if their own lists had them, and what
  /// the state knows stays. `name` is the list's, for messages. The import counts as a run.
  package func importKeys(
    _ keys: [KnownKey], from name: String, _ facts: TransactionFacts
  ) throws(StateError) -> Imported {
    var imported = Imported()
    // Places in the list are counted from 1, as lines are.
    let places = keys.indices.sorted { keys[$0].keyID < keys[$1].keyID }
    database.rollBack()
    let run = try RunTable.last(database) + 1
    try generations.keep(before: run)
    try database.write { () throws(StateError) in
      let number = try MetaTable.value(database, .nextSource)
      guard let source = UInt32(exactly: number), source < .max else {
        throw StateError(.full, "the state \(path) has no numbers for more sources")
      }
      for place in places {
        let position = Position(source: source, line: UInt64(place + 1))
        switch try Self.take(ImportedKey(key: keys[place], position: position), database) {
        case .added: imported.added += 1
        case .raised: imported.raised += 1
        case .unchanged: imported.unchanged += 1
        }
      }
      try InputTable.sources.insert(
        database, InputTable.Source(number: source, run: run, name: name))
      try MetaTable.set(database, .nextSource, Int64(source) + 1)
      try RunTable.table.insert(
        database,
        CommittedRun(
          number: run, id: facts.id, day: facts.day, started: facts.startedAt,
          finished: facts.startedAt, mode: "import", report: nil, totals: CommittedTotals(),
          windows: nil))
    }
    database.mergeLog()
    return imported
  }

  private enum Change {
    case added, raised, unchanged
  }

  private static func take(
    _ listed: ImportedKey, _ database: StateDatabase
  ) throws(StateError) -> Change {
    let keyID = listed.key.keyID
    let kept = try KeyTable.key(database, keyID)
    let earlier = try ImportedKeyTable.key(database, keyID)
    let known = try withImported(kept, database)
    let isNewDevice = try takeDevice(of: listed.key, database)
    let isNews = known.map { $0.merging(listed.key, at: listed.position) != $0 } ?? true
    guard isNews || isNewDevice else { return .unchanged }
    var key = listed.key
    if let counter = key.lastCounter, let reached = kept?.snapshot.counters.last, counter <= reached
    {
      key.lastCounter = nil
    }
    // It was reached by the last that is known of the key.
    key.lastCounterTime = kept?.snapshot.counters.highs.last?.time
    let imported = ImportedKey(
      key: earlier?.key.merging(key) ?? key, position: earlier?.position ?? listed.position)
    try ImportedKeyTable.table.put(database, imported)
    try KeyTable.bring(database, keyID)
    if kept == nil, try KeyTable.table.put(database, KeptKey(keyID: keyID)) {
      try MetaTable.set(database, .keys, try MetaTable.value(database, .keys) + 1)
    }
    return known?.firstValid == nil ? .added : .raised
  }

  /// Takes the device that a list gives a key. Returns whether it is new.
  private static func takeDevice(
    of listed: KnownKey, _ database: StateDatabase
  ) throws(StateError) -> Bool {
    guard let name = listed.deviceID else { return false }
    let device = Digest256.sha256(Array(name.utf8).span)
    let isKnown = try DeviceTable.devices(database, device).contains {
      $0.keyID == listed.keyID && $0.isValid && !$0.isRejected
    }
    guard !isKnown else { return false }
    return try ImportedKeyTable.put(device: name, of: listed.keyID, database)
  }
}

extension StateDirectory {
  /// Returns the builds that runs saw, in the order of their columns, with the nights.
  package func builds() throws(StateError) -> [(build: Build, sighting: BuildSighting)] {
    try BuildTable.table.rows(database, as: BuildTable.Entry.self)
      .map { ($0.build, $0.sighting) }
      .sorted { $0.build < $1.build }
  }
}
