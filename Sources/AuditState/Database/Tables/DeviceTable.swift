internal import AppAttest
internal import AuditEngine
internal import GRDB

/// The table of the keys that attestations gave to devices.
enum DeviceTable {
  static let table = CheckedTable(
    "devices", key: ["device", "time", "run", "number"], ["key_id", "valid", "name"])

  /// Returns how the column `valid` says of an attestation what it is: 0 failed, 1 valid, 2 valid
  /// but rejected.
  static func mark(_ device: KeptDevice) -> Int64 {
    device.isValid ? (device.isRejected ? 2 : 1) : 0
  }

  /// Returns the attestations of a device in the order of time; those of one instant in the order
  /// in which they were remembered.
  static func devices(
    _ database: Database, _ device: Digest256
  ) throws(StateError) -> [KeptDevice] {
    var devices: [KeptDevice] = []
    try table.each(
      database, "WHERE device = ? ORDER BY time, run, number", [.digest(device)]
    ) { row throws(StateError) in
      devices.append(
        KeptDevice(
          device: try row.digest(0), keyID: try row.digest(4), time: try row.integer(1),
          isValid: try row.integer(5) != 0, isRejected: try row.integer(5) == 2,
          name: row.isNull(6) ? nil : try row.text(6)))
    }
    return devices
  }

  /// Returns the devices that valid attestations, which were not rejected, gave a key, in the order
  /// of time.
  static func devices(
    _ database: Database, ofKey keyID: Digest256
  ) throws(StateError) -> [KeptDevice] {
    var found: [Digest256] = []
    try table.each(
      database, "WHERE key_id = ? AND valid = 1 ORDER BY time, run, number", [.digest(keyID)]
    ) { row throws(StateError) in
      let device = try row.digest(0)
      if !found.contains(device) { found.append(device) }
    }
    var devices: [KeptDevice] = []
    for device in found {
      devices += try self.devices(database, device).filter { $0.keyID == keyID && mark($0) == 1 }
        .prefix(1)
    }
    return devices
  }

  /// Adds an attestation that a run remembered as its `number`th.
  static func insert(
    _ database: Database, _ device: KeptDevice, run: Int64, number: Int64
  ) throws(StateError) {
    try table.insert(
      database,
      [
        .digest(device.device), .integer(device.time), .integer(run), .integer(number),
        .digest(device.keyID), .integer(mark(device)),
        device.name.map(SQLValue.text) ?? .null,
      ])
  }
}
