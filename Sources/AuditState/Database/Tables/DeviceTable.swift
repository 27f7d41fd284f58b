internal import AppAttest
internal import AuditEngine

/// The table of the keys that attestations gave to devices.
enum DeviceTable {
  struct Entry: CodedRow {
    var device = KeptDevice()
    var run: Int64 = 0
    /// The number of the attestation among those that the run remembered.
    var number: UInt64 = 0

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.digest(&device.device)
      try device.fields(&coder)
      try coder.number(&run)
      try coder.number(&number)
    }
  }

  static let table = CheckedTable("devices", key: "device", "time", of: Entry.self)

  private static let order = "ORDER BY time, run, number"

  /// Returns the attestations of a device in the order of time and of their arrival.
  static func devices(
    _ database: StateDatabase, _ device: Digest256
  ) throws(StateError) -> [KeptDevice] {
    try table.rows(database, "WHERE device = ? \(order)", .digest(device), as: Entry.self)
      .map(\.device)
  }

  /// Returns the devices that valid attestations, not rejected, gave a key, in the order of time.
  static func devices(
    _ database: StateDatabase, ofKey keyID: Digest256
  ) throws(StateError) -> [KeptDevice] {
    var found: [KeptDevice] = []
    let rows = try table.rows(
      database, "WHERE key_id = ? AND valid = 1 \(order)", .digest(keyID), as: Entry.self)
    for row in rows where !found.contains(where: { $0.device == row.device.device }) {
      found.append(row.device)
    }
    return found
  }
}
