internal import AppAttest

/// What earlier runs know of one device, and what this run adds to it.
struct DeviceHistory {
  /// How many attestations of one device a run remembers: a valid one takes a genuine device, a
  /// failed one takes nothing. The last one of each is remembered whatever came before.
  private static let validLimit = 1024
  private static let failedLimit = 16

  let device: Digest256
  private let tolerance: Int64
  /// In the order of time.
  private let earlier: [KeptDevice]
  private var registered = 0
  private var taken = 0
  /// The attestations of this run, in the order of time, runs of equal ones cut to their first.
  private var added: [KeptDevice] = []
  private var counts = (valid: 0, failed: 0)
  private var previous: KeptDevice?
  private var last: (valid: KeptDevice?, failed: KeptDevice?)

  init(
    _ device: Digest256, _ keys: any KeyMemory, tolerance: Int64
  ) throws(AuditError) {
    self.device = device
    self.tolerance = tolerance
    earlier = try keys.keys(ofDevice: device).filter {
      KeptKey.High.times.contains($0.time)
    }
  }

  /// Whether an earlier run knew of any attestation that names the device.
  var isNamed: Bool { !earlier.isEmpty }
  /// Whether one of them is valid.
  var isKnown: Bool { earlier.contains(where: \.isValid) }

  /// Registers what stands before `time` of what earlier runs know.
  mutating func register(until time: Int64, in keys: inout DeviceKeys) {
    while registered < earlier.count, earlier[registered].time <= time {
      keys.register(earlier[registered].keyID, isValid: earlier[registered].isValid)
      registered += 1
    }
  }

  /// Takes what counts from `time` on or before of what earlier runs know; all of it is registered
  /// then.
  mutating func take(until time: Int64, in keys: inout DeviceKeys) {
    register(until: .max, in: &keys)
    while taken < earlier.count, earlier[taken].time - tolerance <= time {
      keys.take(earlier[taken].keyID, isValid: earlier[taken].isValid)
      taken += 1
    }
  }

  /// Notes an attestation of this run, in the order of time.
  mutating func note(_ keyID: Digest256, isValid: Bool, time: Int64) {
    let entry = KeptDevice(device: device, keyID: keyID, time: time, isValid: isValid)
    defer { previous = entry }
    if let previous, previous.keyID == keyID, previous.isValid == isValid { return }
    if isValid {
      last.valid = counts.valid < Self.validLimit ? nil : entry
      counts.valid += 1
    } else {
      last.failed = counts.failed < Self.failedLimit ? nil : entry
      counts.failed += 1
    }
    if (isValid ? last.valid : last.failed) == nil { added.append(entry) }
  }

  /// What later runs are to know.
  var toRemember: [KeptDevice] {
    added + [last.failed, last.valid].compactMap { $0 }
  }
}
