internal import AppAttest

/// What is to be closed of the events with one hash, once all of them are judged: two events of one
/// instant may share a fingerprint, and what is found of one of them stands.
struct GroupClosings {
  /// How many fingerprints of each kind are kept: honest groups have one or two. Beyond that
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
  private var isFull = false
  /// Whether what is found has to be told: an event of an earlier run is judged again.
  var isNeeded = false

  /// Takes note that a finding is not found of an event.
  mutating func close(_ code: FindingCode, of owner: Digest256, _ fingerprint: UInt64) {
    guard closings.count < Self.limit, asked.insert(fingerprint).inserted else { return }
    closings.append(Closing(code: code, owner: owner, fingerprint: fingerprint))
  }

  /// Takes note that a finding is found of an event.
  mutating func stands(_ fingerprint: UInt64) {
    if standing.count < Self.limit { standing.insert(fingerprint) } else { isFull = true }
  }

  /// Ends the group: what stands for no event, in the order in which it was asked for.
  mutating func end() -> [Closing] {
    guard !closings.isEmpty || isNeeded else { return [] }
    defer {
      closings.removeAll(keepingCapacity: true)
      asked.removeAll(keepingCapacity: true)
      standing.removeAll(keepingCapacity: true)
      isFull = false
      isNeeded = false
    }
    return isFull ? [] : closings.filter { !standing.contains($0.fingerprint) }
  }
}
