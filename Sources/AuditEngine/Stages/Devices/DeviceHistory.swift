internal import AppAttest

/// The knowledge of earlier runs about one device, and what this run adds to it.
struct DeviceHistory {
  /// The most attestations of one device that a run remembers, by whether they are valid. The last
  /// one of each is remembered in any case.
  private static let limits: [DeviceClaim: Int] = [.stored: 1024, .rejected: 16, .failed: 16]

  let device: Digest256
  /// The attestations that earlier runs remembered, in the order of time.
  private let earlier: [KeptDevice]
  private var registered = 0
  private var taken = 0
  /// The attestations of this run, in the order of time, equal ones as well.
  private var added: [KeptDevice] = []
  /// The number of attestations by claim. The last one beyond the limit follows.
  private var counts = [Int](repeating: 0, count: DeviceClaim.allCases.count)
  private var last = [KeptDevice?](repeating: nil, count: DeviceClaim.allCases.count)

  init(_ device: Digest256, _ keys: any KeyMemory) throws(AuditError) {
    self.device = device
    earlier = try keys.keys(ofDevice: device).filter {
      KeptKey.High.times.contains($0.time)
    }
  }

  /// Registers what stands before `time` of what earlier runs know.
  mutating func register(until time: Int64, in keys: inout DeviceKeys) {
    while registered < earlier.count, earlier[registered].time <= time {
      keys.register(earlier[registered].keyID, earlier[registered].claim)
      registered += 1
    }
  }

  /// Takes what earlier runs know that counts until `time`; all of it is registered then.
  mutating func take(until time: Int64, in keys: inout DeviceKeys) {
    register(until: .max, in: &keys)
    while taken < earlier.count, earlier[taken].time <= time {
      let each = earlier[taken]
      keys.take(each.keyID, each.claim)
      taken += 1
    }
  }

  /// Notes an attestation of this run, in the order of time.
  mutating func note(_ keyID: Digest256, _ claim: DeviceClaim, time: Int64) {
    let entry = KeptDevice(
      device: device, keyID: keyID, time: time, isValid: claim != .failed,
      isRejected: claim == .rejected)
    let index = Int(claim.rawValue)
    last[index] = counts[index] < Self.limits[claim] ?? 0 ? nil : entry
    counts[index] += 1
    if last[index] == nil { added.append(entry) }
  }

  /// The attestations that later runs are to know.
  var toRemember: [KeptDevice] {
    added + last.compactMap { $0 }
  }
}

extension KeptDevice {
  var claim: DeviceClaim { DeviceClaim(isValid: isValid, isRejected: isRejected) }
}
