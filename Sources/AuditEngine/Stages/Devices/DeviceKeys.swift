internal import AppAttest
internal import Basics

/// The keys of a device over time (`records.R77`). First every attestation is registered, then they
/// are taken as their time comes, with ``key(at:)`` in between. Those of earlier runs come in their order among them.
struct DeviceKeys {
  struct Match: Equatable {
    var keyID: Digest256
    var isClaimed: Bool
  }

  /// The most keys of valid attestations, the last ones, under which a signature is checked.
  private static let candidateLimits = (stored: 256, rejected: 64)

  private var last: [DeviceClaim: Digest256] = [:]
  private var stored: [Digest256] = []
  private var rejected: [Digest256] = []
  /// The keys of the list, in the order of their attestation, with the times from which they count.
  private let imported: ArraySlice<ImportedDevice>
  /// The index in `imported` of the key whose time came last, or else of the first.
  private var current: Int

  /// The attestations that earlier runs remembered, in the order of time, and how many of them count so far.
  private let earlier: [KeptDevice]
  private var registered = 0
  private var taken = 0

  /// Makes the keys of a device. `imported` are the device's keys in the list of known keys, `earlier` what earlier runs
  /// remembered.
  init(imported: ArraySlice<ImportedDevice> = [], earlier: [KeptDevice] = []) {
    self.imported = imported
    self.earlier = earlier
    current = imported.startIndex
  }

  /// Registers what earlier runs remembered until `time`.
  mutating func registerEarlier(until time: Int64) {
    while registered < earlier.count, earlier[registered].time <= time {
      register(earlier[registered].keyID, earlier[registered].claim)
      registered += 1
    }
  }

  /// Takes what earlier runs remembered until `time`; all of it is registered then.
  mutating func takeEarlier(until time: Int64) {
    registerEarlier(until: .max)
    while taken < earlier.count, earlier[taken].time <= time {
      take(earlier[taken].keyID, earlier[taken].claim)
      taken += 1
    }
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
    takeEarlier(until: time)
    if let keyID = last[.stored] ?? importedKey(at: time) ?? last[.rejected] {
      return Match(keyID: keyID, isClaimed: false)
    }
    return last[.failed].map { Match(keyID: $0, isClaimed: true) }
  }

  /// Returns the device's other keys under which a signature may be valid, the last stored ones first.
  func others(than key: Digest256?) -> [Digest256] {
    if let key, stored == [key], rejected.isEmpty, imported.isEmpty { return [] }
    var known: Set<Digest256> = []
    let keys = rejected + imported.map(\.keyID) + stored
    return keys.reversed().filter { $0 != key && known.insert($0).inserted }
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

extension KeptDevice {
  var claim: DeviceClaim { DeviceClaim(isValid: isValid, isRejected: isRejected) }
}

/// The attestations of one device that later runs are to know.
struct DeviceNotes {
  /// The most of them by claim. The last one of each is remembered in any case.
  private static let limits: [DeviceClaim: Int] = [.stored: 1024, .rejected: 64, .failed: 16]

  /// Those within the limits, in the order of time, equal ones as well.
  private var first: [KeptDevice] = []
  private var counts: [DeviceClaim: Int] = [:]
  /// The last ones beyond them.
  private var last: [DeviceClaim: KeptDevice] = [:]

  /// Adds an attestation, in the order of time.
  mutating func add(_ entry: KeptDevice) {
    let count = counts[entry.claim, default: 0]
    counts[entry.claim] = count + 1
    if count < Self.limits[entry.claim, default: 0] {
      first.append(entry)
    } else {
      last[entry.claim] = entry
    }
  }

  var all: [KeptDevice] { first + DeviceClaim.allCases.compactMap { last[$0] } }
}
