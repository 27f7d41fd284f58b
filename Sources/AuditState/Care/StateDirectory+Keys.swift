package import AppAttest
package import AuditEngine
internal import GRDB
internal import Glibc

extension StateDirectory {
  /// Keys that are read at once.
  private static let pageKeys = 1000

  /// Returns what is known of a key; nil: nothing.
  package func key(_ keyID: Digest256) throws(StateError) -> KeptKey? {
    try database.access { database throws(StateError) in try KeyTable.key(database, keyID) }
  }

  /// Returns the identifier of the device that valid attestations gave a key first, or nil where
  /// none did, or an earlier version did not remember it.
  package func deviceID(of keyID: Digest256) throws(StateError) -> String? {
    try database.access { database throws(StateError) in
      try DeviceTable.devices(database, ofKey: keyID).lazy.compactMap(\.name).first
    }
  }

  /// Calls `body` with every key, in ascending order.
  package func forEachKey<Failure: Error>(
    _ body: (KeptKey) throws(Failure) -> Void, or fail: (StateError) -> Failure
  ) throws(Failure) {
    var last: Digest256?
    while true {
      let page: [KeptKey]
      do throws(StateError) {
        page = try database.access { database throws(StateError) in
          try KeyTable.keys(database, after: last, limit: Self.pageKeys)
        }
      } catch { throw fail(error) }
      for key in page { try body(key) }
      guard page.count == Self.pageKeys else { return }
      last = page.last?.keyID
    }
  }

  /// The outcome of an import.
  package struct Imported: Sendable, Equatable {
    package var added = 0
    /// Keys that were known, of which the list says more.
    package var raised = 0
    /// Keys that were known, of which the list says nothing new.
    package var unchanged = 0
  }

  /// Adds the keys of a list, as if they had been attested in it. Of those that the state knows
  /// nothing is lost: no counter falls, and no subject, device or attestation is replaced. All or
  /// none; the state is open for `advance`.
  ///
  /// - Parameters:
  ///   - name: the list's name, for messages about these keys.
  ///   - facts: id and day of the import, which is counted as a run.
  package func importKeys(
    _ keys: [KnownKey], from name: String, _ facts: TransactionFacts
  ) throws(StateError) -> Imported {
    var imported = Imported()
    // Places in the list are counted from 1, as lines are.
    let places = keys.indices.sorted { keys[$0].keyID < keys[$1].keyID }
    database.rollBack()
    try database.write { database throws(StateError) in
      let run = try RunTable.last(database) + 1
      let number = try MetaTable.value(database, .nextSource)
      guard let source = UInt32(exactly: number), source < .max else {
        throw StateError(.full, "the state \(path) has no numbers for more sources")
      }
      for place in places {
        let listed = keys[place]
        let position = Position(source: source, line: UInt64(place + 1))
        let known = try KeyTable.key(database, listed.keyID)
        let key =
          known.map { $0.merging(listed, at: position) } ?? KeptKey(listed, at: position)
        let isNewDevice = try addDevice(of: listed, run: run, number: Int64(place), to: database)
        if known?.firstValid == nil {
          imported.added += 1
        } else if key != known || isNewDevice {
          imported.raised += 1
        } else {
          imported.unchanged += 1
        }
        if known?.publicKey.isEmpty ?? true || known?.firstValid == nil {
          try KeyTable.bring(database, listed.keyID)
        }
        if try KeyTable.put(database, key) {
          try MetaTable.set(database, .keys, try MetaTable.value(database, .keys) + 1)
        }
      }
      try InputTable.insert(database, source: source, name: name, run: run)
      try MetaTable.set(database, .nextSource, Int64(source) + 1)
      try RunTable.insert(
        database,
        CommittedRun(
          number: run, id: facts.id, day: facts.day, started: facts.startedAt,
          finished: facts.startedAt, mode: "import", report: nil, totals: CommittedTotals()))
    }
    database.mergeLog()
    return imported
  }

  /// Adds the device that a list gives a key, unless that is known: whether it was not.
  private func addDevice(
    of listed: KnownKey, run: Int64, number: Int64, to database: Database
  ) throws(StateError) -> Bool {
    guard let name = listed.deviceID else { return false }
    let device = Digest256.sha256(Array(name.utf8).span)
    let known = try DeviceTable.devices(database, device)
    let isKnown = known.contains {
      $0.keyID == listed.keyID && $0.isValid && !$0.isRejected
    }
    guard !isKnown else { return false }
    try DeviceTable.insert(
      database,
      KeptDevice(
        device: device, keyID: listed.keyID,
        time: listed.attestedAt ?? KeptKey.High.beforeAll, isValid: true, name: name),
      run: run, number: number)
    return true
  }
}
