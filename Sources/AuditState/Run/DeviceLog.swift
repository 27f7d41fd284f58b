internal import AppAttest
internal import AuditEngine

/// Attestations that name devices, which wait for the commit; they come out in ascending order.
final class DeviceLog: @unchecked Sendable {
  // Used by whoever holds its owner's lock.

  private let rows: SortedLog
  private var count: Int64 = 0

  init(_ folder: StateFolder) {
    rows = SortedLog(folder, keyLength: 32 + 8 + 8)
  }

  func append(_ device: KeptDevice) throws(AuditError) {
    count += 1
    try rows.append(
      device.device.bytes + SortedLog.big(UInt64(bitPattern: device.time) ^ 1 << 63)
        + SortedLog.big(UInt64(bitPattern: count)) + device.keyID.bytes
        + [UInt8(DeviceTable.mark(device)), device.name == nil ? 0 : 1]
        + (device.name.map { Array($0.utf8) } ?? []))
  }

  /// Calls `body` with each attestation and the number in which it came; called once.
  func each(
    _ body: (KeptDevice, Int64) throws(StateError) -> Void
  ) throws(StateError) {
    try rows.each { row throws(StateError) in
      guard row.count >= 82, let device = Digest256(Array(row[..<32])),
        let keyID = Digest256(Array(row[48..<80]))
      else { return }
      let time = Int64(bitPattern: SortedLog.number(row, at: 32) ^ 1 << 63)
      try body(
        KeptDevice(
          device: device, keyID: keyID, time: time, isValid: row[80] != 0, isRejected: row[80] == 2,
          name: row[81] == 1 ? String(decoding: row[82...], as: UTF8.self) : nil),
        Int64(bitPattern: SortedLog.number(row, at: 40)))
    }
  }
}
