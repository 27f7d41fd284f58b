internal import AppAttest

/// Which key a device has, as time goes on.
///
/// First every attestation that names the device is registered; then attestations are taken as
/// their time comes, and ``key(at:)`` asked in between. All in the order of events.
struct DeviceKeys {
  /// A key that a device may have.
  struct Match: Equatable {
    var keyID: Digest256
    /// Whether nothing but a failed attestation says so.
    var isClaimed: Bool
  }

  /// The first attestation's key, and the last's whose time has come.
  private struct Line {
    var first: Digest256?
    var last: Digest256?
  }

  private var valid = Line()
  private var failed = Line()
  /// In the order of their attestation; the times are from when on each is the device's key.
  private let imported: ArraySlice<ImportedDevice>
  /// Of these, the one whose time came last, or else the first.
  private var current: Int

  /// `imported` are the device's keys in the list of known keys.
  init(imported: ArraySlice<ImportedDevice> = []) {
    self.imported = imported
    current = imported.startIndex
  }

  /// Takes note of an attestation, whenever its time may come.
  mutating func register(_ keyID: Digest256, isValid: Bool) {
    if isValid {
      valid.first = valid.first ?? keyID
    } else {
      failed.first = failed.first ?? keyID
    }
  }

  /// Takes an attestation whose time has come.
  mutating func take(_ keyID: Digest256, isValid: Bool) {
    if isValid { valid.last = keyID } else { failed.last = keyID }
  }

  /// The key at a time: of the last valid attestation so far, else the imported one, else of the
  /// first valid attestation to come, else of failed ones in the same way. Nil where nothing names
  /// the device. Times never fall from call to call.
  mutating func key(at time: Int64) -> Match? {
    if let keyID = valid.last { return Match(keyID: keyID, isClaimed: false) }
    if let keyID = importedKey(at: time) ?? valid.first {
      return Match(keyID: keyID, isClaimed: false)
    }
    return (failed.last ?? failed.first).map { Match(keyID: $0, isClaimed: true) }
  }

  private mutating func importedKey(at time: Int64) -> Digest256? {
    guard !imported.isEmpty else { return nil }
    while current + 1 < imported.endIndex, imported[current + 1].since <= time { current += 1 }
    return imported[current].keyID
  }
}

/// A key of the list of known keys that is a device's.
struct ImportedDevice: Sendable {
  /// SHA-256 of the device identifier.
  var device: Digest256
  /// From when on it is the device's key, in milliseconds since 1970; the least number where the
  /// list does not say when it was attested.
  var since: Int64
  var keyID: Digest256

  /// The devices of a list, in the order of their digests; the keys of one in the order of time,
  /// and of the list. A key is its device's from `tolerance` before its attestation on.
  static func sorted(_ keys: [KnownKey], tolerance: Int64) -> [ImportedDevice] {
    let devices = keys.compactMap { key in
      key.deviceID.map { device in
        ImportedDevice(
          device: Digest256.sha256(Array(device.utf8).span),
          since: key.attestedAt.map { $0 - tolerance } ?? .min, keyID: key.keyID)
      }
    }
    let order = devices.indices.sorted { left, right in
      let (a, b) = (devices[left], devices[right])
      if a.device != b.device { return a.device < b.device }
      return (a.since, left) < (b.since, right)
    }
    return order.map { devices[$0] }
  }
}

extension [ImportedDevice] {
  /// The keys of one device.
  func keys(of device: Digest256) -> ArraySlice<ImportedDevice> {
    var from = startIndex
    var to = endIndex
    while from < to {
      let middle = (from + to) / 2
      if self[middle].device < device { from = middle + 1 } else { to = middle }
    }
    return self[from...].prefix { $0.device == device }
  }
}
