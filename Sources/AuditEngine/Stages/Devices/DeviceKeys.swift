internal import AppAttest
internal import Basics

/// The key that a device has, as time goes on.
///
/// First every attestation that names the device is registered; then attestations are taken as
/// their time comes, and ``key(at:)`` asked in between. All in the order of events.
struct DeviceKeys {
  /// A key that a device may have.
  struct Match: Equatable {
    var keyID: Digest256
    /// True where nothing but a failed attestation says so.
    var isClaimed: Bool
  }

  /// The first attestation's key, and the last's whose time has come.
  private struct Line {
    var first: Digest256?
    var last: Digest256?
  }

  /// A key that another one followed, and that is possible for a while.
  private struct Former {
    var keyID: Digest256
    /// The last moment at which it may be meant.
    var until: Int64
  }

  /// The number of former keys, and of keys of rejected attestations, that are considered at once.
  private static let otherLimit = 4

  /// The first and last keys, by claim.
  private var lines = [Line](repeating: Line(), count: DeviceClaim.allCases.count)
  /// The former keys, in the order in which they were followed.
  private var former: [Former] = []
  /// Keys of rejected attestations whose time has come, the last at the end.
  private var rejected: [Digest256] = []
  /// The keys of the list, in the order of their attestation. The times are from when on each is
  /// the device's key.
  private let imported: ArraySlice<ImportedDevice>
  /// The index in `imported` of the key whose time came last, or else of the first.
  private var current: Int
  /// The time before its attestation for which a key is possible, and the time after it for which a
  /// former one is.
  private let tolerance: Int64

  /// Makes the keys of a device. `imported` are the device's keys in the list of known keys.
  init(imported: ArraySlice<ImportedDevice> = [], tolerance: Int64 = 0) {
    self.imported = imported
    self.tolerance = tolerance
    current = imported.startIndex
  }

  /// Registers an attestation, whenever its time may come.
  mutating func register(_ keyID: Digest256, _ claim: DeviceClaim) {
    let index = Int(claim.rawValue)
    lines[index].first = lines[index].first ?? keyID
  }

  /// Takes an attestation that counts from `time` on, which has come.
  mutating func take(_ keyID: Digest256, _ claim: DeviceClaim, since time: Int64) {
    switch claim {
    case .stored:
      if let before = lines[Int(DeviceClaim.stored.rawValue)].last ?? importedKey(at: time) {
        follow(before, since: time)
      }
      // Who was rejected before may have been the one that is stored now.
      rejected.removeAll { $0 == keyID }
    case .rejected:
      rejected.removeAll { $0 == keyID }
      if rejected.count == Self.otherLimit { rejected.removeFirst() }
      rejected.append(keyID)
    case .failed: break
    }
    lines[Int(claim.rawValue)].last = keyID
  }

  private mutating func follow(_ keyID: Digest256, since time: Int64) {
    former.removeAll { $0.keyID == keyID || $0.until < time }
    if former.count == Self.otherLimit { former.removeFirst() }
    let (until, overflow) = time.addingReportingOverflow(2 * tolerance)
    former.append(Former(keyID: keyID, until: overflow ? .max : until))
  }

  /// Returns the key at a time: of the last stored attestation so far, else the imported one, else
  /// of the first to come, else of rejected ones and then of failed ones in the same way. Returns
  /// nil if nothing names the device. Times never fall from call to call.
  mutating func key(at time: Int64) -> Match? {
    let stored = lines[Int(DeviceClaim.stored.rawValue)]
    if let keyID = stored.last { return Match(keyID: keyID, isClaimed: false) }
    if let keyID = importedKey(at: time) ?? stored.first {
      return Match(keyID: keyID, isClaimed: false)
    }
    let rejected = lines[Int(DeviceClaim.rejected.rawValue)]
    if let keyID = rejected.last ?? rejected.first {
      return Match(keyID: keyID, isClaimed: false)
    }
    let failed = lines[Int(DeviceClaim.failed.rawValue)]
    return (failed.last ?? failed.first).map { Match(keyID: $0, isClaimed: true) }
  }

  /// Returns the keys besides that of ``key(at:)`` that may be meant at the same time, the
  /// likeliest first: those that it followed within the tolerance, since clocks differ, and, where
  /// none was stored for the device, those whose attestation the server rejected. Where one was
  /// stored, a rejected attestation gives nothing: anybody may have sent it.
  func others(than key: Digest256, at time: Int64) -> [Digest256] {
    guard !former.isEmpty || !rejected.isEmpty else { return [] }
    var candidates = former.reversed().filter { $0.until >= time }.map(\.keyID)
    let stored = lines[Int(DeviceClaim.stored.rawValue)]
    if imported.isEmpty, stored.first == nil, stored.last == nil {
      candidates += rejected.reversed()
    }
    var others: [Digest256] = []
    for other in candidates where other != key && !others.contains(other) { others.append(other) }
    return others
  }

  /// Returns whether an assertion from now on may be signed with a key.
  func mayMean(_ keyID: Digest256) -> Bool {
    rejected.contains(keyID) || lines.contains { $0.last == keyID }
      || former.contains { $0.keyID == keyID }
  }

  private mutating func importedKey(at time: Int64) -> Digest256? {
    guard !imported.isEmpty else { return nil }
    while current + 1 < imported.endIndex, imported[current + 1].since <= time {
      follow(imported[current].keyID, since: imported[current + 1].since)
      current += 1
    }
    return imported[current].keyID
  }
}

/// A key of the list of known keys that is a device's.
struct ImportedDevice: Sendable {
  /// SHA-256 of the device identifier.
  var device: Digest256
  /// The time from which on it is the device's key, in milliseconds since 1970. It is the least
  /// number if the list does not say when the key was attested.
  var since: Int64
  var keyID: Digest256
  /// X9.62 uncompressed point, 65 bytes.
  var publicKey: [UInt8]

  /// Returns the devices of a list, in the order of their digests; the keys of one in the order of
  /// time, and of the list. A key is its device's from `tolerance` before its attestation on.
  static func sorted(_ keys: [KnownKey], tolerance: Int64) -> [ImportedDevice] {
    let devices = keys.compactMap { key in
      key.deviceID.map { device in
        ImportedDevice(
          device: Digest256.sha256(Array(device.utf8).span),
          since: key.attestedAt.map { $0 - tolerance } ?? .min, keyID: key.keyID,
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
  /// Returns the keys of one device.
  func keys(of device: Digest256) -> ArraySlice<ImportedDevice> {
    self[indices.searched { self[$0].device < device }...].prefix { $0.device == device }
  }
}
