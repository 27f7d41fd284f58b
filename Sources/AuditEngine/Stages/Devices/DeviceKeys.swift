internal import AppAttest
internal import Basics

/// The keys of a device over time (`records.R77`). First every attestation is registered, then they
/// are taken as their time comes, with ``key(at:)`` in between.
struct DeviceKeys {
  /// A key that a device may have.
  struct Match: Equatable {
    var keyID: Digest256
    /// Whether only a failed attestation says so.
    var isClaimed: Bool
  }

  /// The most keys of valid attestations, the last ones, under which a signature is checked: of those that the server
  /// did not reject, and of the others, which anybody may have sent.
  private static let candidateLimits = (stored: 256, rejected: 64)

  /// The keys of the last attestations whose time has come.
  private var last: [DeviceClaim: Digest256] = [:]
  /// The keys of valid attestations, whenever their time comes.
  private var stored: [Digest256] = []
  private var rejected: [Digest256] = []
  /// The keys of the list, in the order of their attestation, with the times from which they count.
  private let imported: ArraySlice<ImportedDevice>
  /// The index in `imported` of the key whose time came last, or else of the first.
  private var current: Int

  /// Makes the keys of a device. `imported` are the device's keys in the list of known keys.
  init(imported: ArraySlice<ImportedDevice> = []) {
    self.imported = imported
    current = imported.startIndex
  }

  /// Registers an attestation, whenever its time may come.
  mutating func register(_ keyID: Digest256, _ claim: DeviceClaim) {
    switch claim {
    case .stored: Self.add(keyID, to: &stored, limit: Self.candidateLimits.stored)
    case .rejected: Self.add(keyID, to: &rejected, limit: Self.candidateLimits.rejected)
    case .failed: break
    }
  }

  private static func add(_ keyID: Digest256, to keys: inout [Digest256], limit: Int) {
    guard !keys.contains(keyID) else { return }
    if keys.count == limit { keys.removeFirst() }
    keys.append(keyID)
  }

  /// Takes an attestation whose time has come.
  mutating func take(_ keyID: Digest256, _ claim: DeviceClaim) {
    last[claim] = keyID
  }

  /// Returns the key at a time that never falls, if no signature says which: of the last stored attestation so
  /// far, else imported, else rejected or failed, or nil. An attestation says nothing about the time before it.
  mutating func key(at time: Int64) -> Match? {
    if let keyID = last[.stored] ?? importedKey(at: time) ?? last[.rejected] {
      return Match(keyID: keyID, isClaimed: false)
    }
    return last[.failed].map { Match(keyID: $0, isClaimed: true) }
  }

  /// Returns the device's other keys under which a signature may be valid, the last stored ones first.
  func others(than key: Digest256?) -> [Digest256] {
    if let key, stored == [key], rejected.isEmpty, imported.isEmpty { return [] }
    var others: [Digest256] = []
    for keys in [stored, imported.map(\.keyID), rejected] {
      for other in keys.reversed() where other != key && !others.contains(other) {
        others.append(other)
      }
    }
    return others
  }

  /// Returns whether a key is one of a valid attestation under which signatures are checked.
  func isCandidate(_ keyID: Digest256) -> Bool {
    stored.contains(keyID) || rejected.contains(keyID)
  }

  /// Returns the time from which on a key of the list is the device's, or nil if the list does not have it.
  func listed(_ keyID: Digest256) -> Int64? { imported.first { $0.keyID == keyID }?.since }

  private mutating func importedKey(at time: Int64) -> Digest256? {
    guard !imported.isEmpty else { return nil }
    while current + 1 < imported.endIndex, imported[current + 1].since <= time { current += 1 }
    return imported[current].since <= time ? imported[current].keyID : nil
  }
}

/// A key of the list of known keys that is a device's.
struct ImportedDevice: Sendable {
  /// SHA-256 of the device identifier.
  var device: Digest256
  /// The time from which on it is the device's key, in milliseconds since 1970, or the least.
  var since: Int64
  var keyID: Digest256
  /// X9.62 uncompressed point, 65 bytes.
  var publicKey: [UInt8]

  /// Returns the devices of a list, in the order of their digests; the keys of one in the order of
  /// time, and of the list. A key is its device's from its attestation on.
  static func sorted(_ keys: [KnownKey]) -> [ImportedDevice] {
    let devices = keys.compactMap { key in
      key.deviceID.map { device in
        ImportedDevice(
          device: Digest256.sha256(Array(device.utf8).span),
          since: key.attestedAt ?? .min, keyID: key.keyID,
          publicKey: key.publicKey)
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
  func keys(of device: Digest256) -> ArraySlice<ImportedDevice> {
    self[indices.searched { self[$0].device < device }...].prefix { $0.device == device }
  }
}

/// The claim of an attestation that names a device: whose key it is.
enum DeviceClaim: UInt8, CaseIterable {
  /// An attestation that failed: nothing but a claim.
  case failed
  /// A valid attestation that the server did not reject: the key was stored for the device.
  case stored
  /// A valid attestation that the server rejected: anybody may have sent it.
  case rejected

  init(isValid: Bool, isRejected: Bool) {
    self = isValid ? (isRejected ? .rejected : .stored) : .failed
  }
}
