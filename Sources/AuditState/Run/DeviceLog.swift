internal import AppAttest
internal import AuditEngine

/// Attestations that name devices, which wait for the commit; they come out in ascending order.
final class DeviceLog: @unchecked Sendable {
  // Used by whoever holds its owner's lock.

  private let rows: SortedLog
  private var count: UInt64 = 0

  init(_ folder: StateFolder) {
    rows = SortedLog(folder, keyLength: 32 + 8 + 8)
  }

  func append(_ device: KeptDevice) throws(AuditError) {
    count += 1
    try rows.append(
      device.device.bytes + SortedLog.big(UInt64(bitPattern: device.time) ^ 1 << 63)
        + SortedLog.big(count) + device.packed)
  }

  /// Calls `body` with each attestation and the number in which it came; called once.
  func each(
    _ body: (KeptDevice, UInt64) throws(StateError) -> Void
  ) throws(StateError) {
    try rows.each { row throws(StateError) in
      guard row.count >= 48, var device = KeptDevice(packed: Array(row[48...])),
        let digest = Digest256(Array(row[..<32]))
      else { throw SpillLog.damage }
      device.device = digest
      try body(device, SortedLog.number(row, at: 40))
    }
  }
}
