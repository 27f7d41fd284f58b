internal import AppAttest
internal import Synchronization

/// The devices that attestations of this run may name. What earlier runs kept of other devices is
/// as it was.
///
/// A device has a place, which others may share. From any thread.
final class AttestedDevices: Sendable {
  /// Places, a power of two: a bit each.
  private static let placeBits = 23

  private let words = Mutex([UInt64](repeating: 0, count: 1 << (placeBits - 6)))

  /// Adds a device, by the SHA-256 of its identifier.
  func add(_ device: Digest256) {
    let place = Self.place(device)
    words.withLock { $0[place >> 6] |= 1 << UInt64(place & 63) }
  }

  /// Returns whether the device may have been added; once all were.
  func mayHold(_ device: Digest256) -> Bool {
    let place = Self.place(device)
    return words.withLock { $0[place >> 6] >> UInt64(place & 63) & 1 == 1 }
  }

  private static func place(_ device: Digest256) -> Int {
    device.withSpan { bytes in (0..<4).reduce(0) { $0 << 8 | Int(bytes[$1]) } }
      & (1 << placeBits - 1)
  }
}
