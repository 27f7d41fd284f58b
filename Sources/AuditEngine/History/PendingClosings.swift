internal import AppAttest

/// Findings that are to be closed unless they stand for another event.
struct PendingClosings {
  /// How many fingerprints of each kind are kept: honest keys and hashes have a few. Beyond that
  /// findings stay open.
  static let limit = 1 << 16

  /// A finding that does not stand for the event it was reported of.
  struct Closing {
    var code: FindingCode
    /// The key, or the device.
    var owner: Digest256
    var fingerprint: UInt64
  }

  private var closings: [Closing] = []
  private var asked: Set<UInt64> = []
  private var standing: Set<UInt64> = []
  /// Whether nothing is closed, since not everything that stands is known.
  var isBlocked = false

  /// Takes note that a finding is not found of an event.
  mutating func close(_ code: FindingCode, of owner: Digest256, _ fingerprint: UInt64) {
    guard closings.count < Self.limit, asked.insert(fingerprint).inserted else { return }
    closings.append(Closing(code: code, owner: owner, fingerprint: fingerprint))
  }

  /// Takes note that a finding is found of an event.
  mutating func stands(_ fingerprint: UInt64) {
    if standing.count < Self.limit { standing.insert(fingerprint) } else { isBlocked = true }
  }

  /// What stands for no event, in the order in which it was asked for; then nothing is kept.
  mutating func end() -> [Closing] {
    defer {
      if !closings.isEmpty {
        closings.removeAll(keepingCapacity: true)
        asked.removeAll(keepingCapacity: true)
      }
      if !standing.isEmpty { standing.removeAll(keepingCapacity: true) }
      isBlocked = false
    }
    guard !isBlocked, !closings.isEmpty else { return [] }
    return closings.filter { !standing.contains($0.fingerprint) }
  }
}
