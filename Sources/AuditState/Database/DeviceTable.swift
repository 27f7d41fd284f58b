internal import AppAttest
internal import AuditEngine
internal import GRDB

/// Which keys attestations gave a device.
enum DeviceTable {
  static let table = CheckedTable(
    "devices", key: ["device", "time", "run", "number"], ["key_id", "valid"])

  /// The attestations of a device in the order of time; those of one instant in the order in which
  /// they were remembered.
  static func devices(
    _ database: Database, _ device: Digest256
  ) throws(StateError) -> [RememberedDevice] {
    var devices: [RememberedDevice] = []
    try table.each(
      database, "WHERE device = ? ORDER BY time, run, number", [.digest(device)]
    ) { row throws(StateError) in
      devices.append(
        RememberedDevice(
          device: try row.digest(0), keyID: try row.digest(4), time: try row.integer(1),
          isValid: try row.integer(5) != 0))
    }
    return devices
  }

  /// Adds an attestation that a run remembered as its `number`th.
  static func insert(
    _ database: Database, _ device: RememberedDevice, run: Int64, number: Int64
  ) throws(StateError) {
    try table.insert(
      database,
      [
        .digest(device.device), .integer(device.time), .integer(run), .integer(number),
        .digest(device.keyID), .integer(device.isValid ? 1 : 0),
      ])
  }
}
